#!/usr/bin/env bash
# go-pdf/fpdf v0.12.0: a subset of a font that a document embeds has the name of the whole font.
#
# Two documents are written with the same TrueType font, one with the text "ab", one with "xyz". fpdf embeds in each the
# glyphs that its text needs, so that the embedded fonts differ, but both have the same name, without the tag of six
# letters and a plus that tells subsets apart (ISO 32000-1, 9.6.4 and 9.9). A program that takes fonts of one name for
# one font, as some do that join pages of several documents, can show a document with the glyphs of the other.
#
# Seen: "ab /utf8sans, xyz /utf8sans; fonts differ: true; tags: 0".
# What it does to a program: figures of one paper can share a name for different fonts, and checkers of PDFs, which tell
# a subset by its tag, take it for a whole font that lacks glyphs.
set -euo pipefail
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir" && rm -rf "$dir"' EXIT
cd "$dir"
cat >go.mod <<'MOD'
module finding

go 1.25
MOD
cat >main.go <<'GO'
package main

import (
	"bytes"
	"fmt"
	"log"
	"regexp"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

var (
	baseFont = regexp.MustCompile(`/BaseFont (/\S+)`)
	tag      = regexp.MustCompile(`/[A-Z]{6}\+`)
	fontFile = regexp.MustCompile(`(?s)/Length1 \d+.*?stream\n(.*?)endstream`)
)

func document(text string) []byte {
	p := fpdf.New("P", "pt", "A4", "")
	p.AddUTF8FontFromBytes("sans", "", bytes.Clone(liberationsansregular.TTF))
	p.AddPage()
	p.SetFont("sans", "", 12)
	p.Text(20, 20, text)
	var b bytes.Buffer
	if err := p.Output(&b); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}

func main() {
	first, second := document("ab"), document("xyz")
	a, b := fontFile.FindSubmatch(first), fontFile.FindSubmatch(second)
	if a == nil || b == nil {
		log.Fatal("no font is embedded")
	}
	fmt.Printf("ab %s, xyz %s; fonts differ: %t; tags: %d\n", baseFont.FindSubmatch(first)[1],
		baseFont.FindSubmatch(second)[1], !bytes.Equal(a[1], b[1]), len(tag.FindAll(append(first, second...), -1)))
}
GO
export GOFLAGS=-modcacherw GOMODCACHE="$dir/modules" GOCACHE="$dir/cache"
go get codeberg.org/go-pdf/fpdf@v0.12.0 codeberg.org/go-fonts/liberation@v0.6.0 2>/dev/null
seen=$(go run .)
echo "$seen"
[ "$seen" = "ab /utf8sans, xyz /utf8sans; fonts differ: true; tags: 0" ]
