package palette

import "image/color"

// MaxSeries is how many series have their own colour.
const MaxSeries = 7

// Palette has the colours of one theme.
type Palette struct {
	Theme   string
	Ground  color.NRGBA // what data are drawn on
	Text    color.NRGBA // what is written on it, and the last of the series
	Faint   color.NRGBA // axes and notes
	Grid    color.NRGBA // lines behind data
	Neutral color.NRGBA // primitive actions, missing numbers, where an option ends
	Series  [MaxSeries]color.NRGBA
	Ramp    []color.NRGBA // from early to late
}

// Plus returns the colour of what is above 0, and of the largest value.
func (p Palette) Plus() color.NRGBA { return p.Series[0] }

// Minus returns the colour of what is below 0.
func (p Palette) Minus() color.NRGBA { return p.Series[1] }

// Palettes has the colours of each theme, the default theme first. The series are those of Okabe and
// Ito, "Color universal design" (2008), in an order in which neighbours differ most, some of them
// lighter in the dark. The ramps are parts of viridis that stand out from the ground.
var Palettes = []Palette{
	{
		Theme: "light", Ground: rgb(0xffffff), Text: rgb(0x1a1a1a), Faint: rgb(0x595959), Grid: rgb(0xe4e4e4),
		Neutral: rgb(0x8c8c8c),
		Series:  [MaxSeries]color.NRGBA(rgbs(0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x1a1a1a)),
		Ramp:    rgbs(0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xc8a415),
	},
	{
		Theme: "dark", Ground: rgb(0x14171c), Text: rgb(0xececec), Faint: rgb(0xb0b4ba), Grid: rgb(0x2f343c),
		Neutral: rgb(0x8f959d),
		Series:  [MaxSeries]color.NRGBA(rgbs(0x56b4e9, 0xf0823a, 0x009e73, 0xcc79a7, 0xf0e442, 0x8a78e8, 0xececec)),
		Ramp:    rgbs(0x6a5acd, 0x3f8fc4, 0x2fb39a, 0x8fd744, 0xfde725),
	},
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

func rgbs(hexes ...uint32) (colours []color.NRGBA) {
	for _, hex := range hexes {
		colours = append(colours, rgb(hex))
	}
	return colours
}
