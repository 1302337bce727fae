package figure

import "io"

// PictureFormats lists the file formats in which [layout.write] draws.
var PictureFormats = []string{"png", "svg", "pdf"}

// write draws the layout in one of [PictureFormats].
func (l *layout) write(w io.Writer, format string) error {
	switch format {
	case "png":
		return writePNG(w, l, l.style.dpi())
	case "svg":
		return writeSVG(w, l)
	default:
		return writePDF(w, l)
	}
}
