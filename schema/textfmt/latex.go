package textfmt

import "strings"

// latexLetters maps what LaTeX does not take as it is.
var latexLetters = strings.NewReplacer(
	"|cos_M|", `$|\cos_M|$`,
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `$<$`, `>`, `$>$`, `|`, `\textbar{}`, `"`, `''`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, "φ", `$\phi$`, "−", `$-$`, "±", `$\pm$`, "⊥", `$\bot$`,
	"·", `$\cdot$`, "÷", `$\div$`, "≤", `$\leq$`, "≥", `$\geq$`, "×", `$\times$`, "…", `\ldots{}`, "–", "--",
	"₂", `$_2$`, "ᵀ", `$^\top$`,
)

// EscapeLaTeX returns a text for LaTeX, in which nothing is a command.
func EscapeLaTeX(text string) string { return latexLetters.Replace(text) }
