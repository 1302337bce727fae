// Package arcade is podtrack's own: a stand-in for the memory of an arcade game, 128 bytes. Some count frames,
// some are positions, digits of a score or graphics, some are random, some fill up, and a third never change.
// Hardly any state recurs, as in the games of the Arcade Learning Environment (Bellemare et al., Journal of
// Artificial Intelligence Research 47, 2013), from which nothing is taken. Package ram makes an environment of
// it.
package arcade

import "math/rand/v2"

// Size is the number of bytes of memory.
const Size = 128

// Actions are the names of the actions.
var Actions = []string{"noop", "up", "right", "left", "down"}

const (
	width, height  = 160, 150
	startX, startY = 76, 40
	skipped        = 4 // frames a step
	constants      = 96
	field          = 64 // 32 bytes that fill up
)

// An enemy moves from left to right, and returns at the left edge.
type enemy struct{ x, y, speed int }

// A Game is a game in progress.
type Game struct {
	RAM [Size]byte

	random      *rand.Rand
	frame       uint32
	score       int
	lives, x, y int
	enemies     [6]enemy
}

// New returns a game whose randomness comes from a seed.
func New(seed uint64) *Game {
	g := &Game{random: rand.New(rand.NewPCG(seed, 0))}
	g.Reset()
	return g
}

// Reset begins an episode.
func (g *Game) Reset() {
	*g = Game{random: g.random, lives: 3, x: startX, y: startY}
	for i := range g.enemies {
		g.enemies[i] = enemy{g.random.IntN(width), 20*i + 10, 1 + g.random.IntN(3)}
	}
	for i := constants; i < Size; i++ {
		g.RAM[i] = byte(0xf0 ^ i)
	}
	g.store()
}

// Step repeats an action for some frames, and reports whether the episode ended.
func (g *Game) Step(action int) (over bool) {
	for range skipped {
		g.frame++
		switch Actions[action] {
		case "up":
			g.y = min(g.y+1, height)
		case "right":
			g.x = min(g.x+1, width-1)
		case "left":
			g.x = max(g.x-1, 0)
		case "down":
			g.y = max(g.y-1, 0)
		}
		for i := range g.enemies {
			g.enemies[i].x = (g.enemies[i].x + g.enemies[i].speed) % width
		}
	}
	g.collect()
	for _, e := range g.enemies {
		if abs(e.x-g.x) < 3 && abs(e.y-g.y) < 3 {
			g.lives--
			g.x, g.y = startX, startY
		}
	}
	g.store()
	return g.lives <= 0
}

// collect sets, now and then, the bit of the field at the player's position.
func (g *Game) collect() {
	cell, bit := &g.RAM[field+(g.x/10+g.y/20*16)%(constants-field)], byte(1)<<(g.x%8)
	if *cell&bit == 0 && g.random.IntN(3) == 0 {
		*cell |= bit
		g.score++
	}
}

// store writes the state of the game into memory.
func (g *Game) store() {
	r := &g.RAM
	r[0], r[1], r[2], r[3] = byte(g.frame), byte(g.frame>>8), byte(g.frame>>16), byte(g.frame)&7
	r[4], r[5], r[6] = digits(g.score), digits(g.score/100), digits(g.score/10000)
	r[7], r[8], r[9] = byte(g.lives), byte(g.x), byte(g.y)
	for i, e := range g.enemies {
		r[10+i], r[16+i], r[22+i], r[28+i] = byte(e.x), byte(e.y), byte(e.speed), byte(abs(e.x-g.x))
	}
	if g.frame%16 == 0 {
		r[40], r[41] = byte(g.random.IntN(256)), byte(g.random.IntN(256))
	}
	r[42] = r[40] ^ r[0]
	for i := range 8 {
		r[48+i] = byte(0x40 + (int(g.frame)/8+i)%4*8)
	}
}

// digits returns the last two decimal digits of n, one in each half of the byte.
func digits(n int) byte { return byte(n/10%10<<4 | n%10) }

func abs(x int) int { return max(x, -x) }
