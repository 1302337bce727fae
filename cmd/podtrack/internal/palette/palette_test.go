package palette

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestFirstWindow has windows by hand: four periods of 2^(bit + 1) states, from 64 to 256, of all that there are,
// around the state that is acted in unless that is in the middle half.
func TestFirstWindow(t *testing.T) {
	for _, c := range []struct {
		name      string
		bits      int64
		hide      int64
		strongest int
		acts      int // the only state
		want      Window
	}{
		{"ring", 12, 0, 2, 0, Window{-32, 31}}, {"ring", 12, 0, 4, 31, Window{-64, 63}},
		{"ring", 12, 0, 4, 32, Window{-32, 95}}, {"ring", 12, 0, 4, 4096 - 32, Window{-96, 31}},
		{"ring", 12, 0, 4, 2048, Window{1920, 2047}}, {"ring", 12, 3, 1, 0, Window{-64, 63}},
		{"ring", 12, 3, 8, 0, Window{-128, 127}}, {"ring", 5, 0, 4, 15, Window{-16, 15}}, {"ring", 1, 0, 0, 0, Window{-1, 0}},
		{"taxi", 0, 0, 3, 499, Window{0, 499}},
	} {
		spec := schema.Env{Name: c.name, Version: 1, Params: map[string]int64{}}
		if c.name == "ring" {
			spec.Params = map[string]int64{"bits": c.bits, "hide": c.hide}
		} else {
			var err error
			if spec, err = envs.DefaultEnv(c.name); err != nil {
				t.Fatal(err)
			}
		}
		env, err := envs.NewEnv(spec)
		if err != nil {
			t.Fatal(err)
		}
		vector := make([]float64, len(env.Features()))
		vector[0], vector[c.strongest] = 0.1, -0.9
		o := schema.Option{Purpose: schema.Purpose{Vector: vector}}
		o.Policy = slices.Repeat([]int8{schema.Terminate}, env.States())
		o.Policy[c.acts] = 0
		if got := FirstWindow(env, &o); got != c.want {
			t.Errorf("%s of %d bits, %d hidden, by weight %d: %v, want %v", c.name, c.bits, c.hide, c.strongest, got, c.want)
		}
		o.Purpose.Start = &c.acts
		o.Policy = slices.Repeat([]int8{0}, env.States())
		if got := FirstWindow(env, &o); got != c.want {
			t.Errorf("%s of %d bits: with the start %d %v, want %v", c.name, c.bits, c.acts, got, c.want)
		}
	}
}

// TestShort has numbers with their shortest texts.
func TestShort(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", -0.109109: "−0.1091", 0.03196: "0.03196", 12: "12", 1e-3: "0.001", 0.000999: "9.99e−4",
		999999: "1000000", 1e6: "1.00e+6", -1.9e-15: "−1.90e−15",
		math.NaN(): "–",
	} {
		if got := Short(x); got != want {
			t.Errorf("%g is %s, want %s", x, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", -128: "−128", 1000: "1,000", -2048: "−2,048",
		1234567: "1,234,567", -123456: "−123,456"} {
		if got := Whole(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if got := Exponent(1e5, -1) + " " + Exponent(-2.5e-7, -1); got != "1e+5 −2.5e−7" {
		t.Errorf("powers of ten are %s", got)
	}
	if got := Number("sigma", -0.0001); got != "0.000" {
		t.Errorf("a rounded −0.0001 is %s", got)
	}
}

// blindness has what people see who lack one kind of cones, as matrices on linear RGB: Machado, Oliveira
// and Fernandes (2009), severity 1.
var blindness = map[string][3][3]float64{
	"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		for j, x := range row {
			out[i] += x * v[j]
		}
	}
	return out
}

func linear(c color.NRGBA) (out [3]float64) {
	for i, x := range []uint8{c.R, c.G, c.B} {
		if v := float64(x) / 255; v <= 0.04045 {
			out[i] = v / 12.92
		} else {
			out[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return out
}

// lab returns a colour in CIELAB, whose distances are about those that people see.
func lab(v [3]float64) [3]float64 {
	for i, x := range v {
		v[i] = min(max(x, 0), 1)
	}
	xyz := times([3][3]float64{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}, v)
	var f [3]float64
	for i, white := range [3]float64{0.95047, 1, 1.08883} {
		if x := xyz[i] / white; x > 0.008856 {
			f[i] = math.Cbrt(x)
		} else {
			f[i] = 7.787*x + 16.0/116
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// TestColourBlind tells all series of a theme apart, and from the ground, by 15 units of CIELAB: a
// difference of 2.3 is just noticeable.
func TestColourBlind(t *testing.T) {
	for _, p := range Palettes {
		colours := append([]color.NRGBA{p.Ground}, p.Series[:]...)
		for kind, m := range blindness {
			for i, a := range colours {
				for _, b := range colours[:i] {
					x, y := lab(times(m, linear(a))), lab(times(m, linear(b)))
					if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < 15 {
						t.Errorf("%s, %s: %v and %v differ by %.1f", p.Theme, kind, a, b, d)
					}
				}
			}
		}
	}
}
