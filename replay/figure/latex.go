package figure

import "strings"

// latexLetters maps what LaTeX does not take as it is.
var latexLetters = strings.NewReplacer(
	"|cos_M|", `$|\cos_M|$`,
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `"`, `''`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, "φ", `$\phi$`, "−", `$-$`, "±", `$\pm$`,
	"·", `$\cdot$`, "÷", `$\div$`, "≤", `$\leq$`, "≥", `$\geq$`, "×", `$\times$`, "…", `\ldots{}`, "–", "--",
	"₂", `$_2$`, "ᵀ", `$^\top$`, " %", `\,\%`,
)

// LaTeX returns a caption as the command of LaTeX.
func LaTeX(caption string) string {
	return `\caption{` + latexLetters.Replace(printable(caption)) + "}"
}
