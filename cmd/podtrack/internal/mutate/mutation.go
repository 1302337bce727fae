package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// kinds are the mutations by kind, in the order in which they take turns.
var kinds = []string{"boundary", "constant", "negate", "delete", "branch", "swap", "error"}

// A mutation replaces bytes of a file.
type mutation struct {
	kind, pkg, path string
	line            int
	first, last     int // lines; a test that executes one of them may notice
	from, to        int // offsets of the bytes replaced
	old, text       string
}

// file returns the name of the file as profiles have it.
func (m mutation) file() string { return m.pkg + "/" + filepath.Base(m.path) }

func (m mutation) String() string {
	short := func(text string) string {
		text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
		return fmt.Sprintf("`%.80s`", text)
	}
	change := short(m.old)
	if m.text != "" {
		change += " → " + short(m.text)
	}
	return fmt.Sprintf("%s:%d | %s %s", strings.TrimPrefix(m.file(), module), m.line, m.kind, change)
}

// findAll returns the mutations of the packages of a pattern that match an expression.
func findAll(pattern string, only *regexp.Regexp) (found []mutation) {
	for _, p := range list(pattern) {
		if strings.HasSuffix(p.ImportPath, "test") || strings.HasSuffix(p.ImportPath, "/mutate") {
			continue // helpers of tests, and this
		}
		for _, name := range p.GoFiles {
			f := finder{fset: token.NewFileSet(), path: filepath.Join(p.Dir, name), pkg: p.ImportPath}
			var err error
			f.source, err = os.ReadFile(f.path)
			check(err)
			file, err := parser.ParseFile(f.fset, name, f.source, parser.SkipObjectResolution)
			check(err)
			f.find(file)
			for _, m := range f.found {
				if only.MatchString(m.String()) {
					found = append(found, m)
				}
			}
		}
	}
	return found
}

// A finder collects the mutations of a file. Those that do not compile are found out later.
type finder struct {
	fset      *token.FileSet
	source    []byte
	pkg, path string
	found     []mutation
	function  *ast.FuncType // the innermost one, nil outside of functions
	body      *ast.BlockStmt
	isInCase  bool // in the condition of a case, of which coverage does not count whether it is executed
}

var otherOperators = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

func (f *finder) find(root ast.Node) {
	ast.Inspect(root, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				f.findIn(n.Type, n.Body)
			}
			return false
		case *ast.FuncLit:
			f.findIn(n.Type, n.Body)
			return false
		case *ast.CaseClause:
			f.isInCase = true
			for _, condition := range n.List {
				f.find(condition)
			}
			f.isInCase = false
			for _, statement := range n.Body {
				f.find(statement)
			}
			return false
		case *ast.BinaryExpr:
			if other, ok := otherOperators[n.Op]; ok {
				f.add("boundary", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 32); err == nil && n.Kind == token.INT {
				f.add("constant", n.Pos(), n.End(), fmt.Sprint(v+1))
				f.add("constant", n.Pos(), n.End(), fmt.Sprintf("(%d)", v-1))
			}
		case *ast.IfStmt:
			f.add("negate", n.Cond.Pos(), n.Cond.End(), "!("+f.textOf(n.Cond)+")")
		case *ast.BranchStmt:
			switch n.Tok {
			case token.CONTINUE:
				f.add("branch", n.Pos(), n.Pos()+token.Pos(len("continue")), "break")
			case token.BREAK:
				f.add("branch", n.Pos(), n.Pos()+token.Pos(len("break")), "continue")
			}
		case *ast.ReturnStmt:
			f.findDroppedError(n)
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt:
			f.add("delete", n.Pos(), n.End(), "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				f.add("delete", n.Pos(), n.End(), "")
			}
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "make" {
				return false // a capacity decides nothing
			}
			for i, next := range n.Args[min(1, len(n.Args)):] {
				first := n.Args[i]
				between := string(f.source[f.offset(first.End()):f.offset(next.Pos())])
				f.add("swap", first.Pos(), next.End(), f.textOf(next)+between+f.textOf(first))
			}
		}
		return true
	})
}

func (f *finder) findIn(function *ast.FuncType, body *ast.BlockStmt) {
	outer, outerBody := f.function, f.body
	f.function, f.body = function, body
	f.find(body)
	f.function, f.body = outer, outerBody
}

// findDroppedError adds the return of nil in place of an error.
func (f *finder) findDroppedError(n *ast.ReturnStmt) {
	if results := f.function.Results; results != nil && len(n.Results) == results.NumFields() {
		last := n.Results[len(n.Results)-1]
		if f.textOf(results.List[len(results.List)-1].Type) == "error" && f.textOf(last) != "nil" {
			f.add("error", last.Pos(), last.End(), "nil")
		}
	}
}

func (f *finder) add(kind string, from, to token.Pos, text string) {
	m := mutation{kind: kind, pkg: f.pkg, path: f.path, line: f.lineOf(from), from: f.offset(from), to: f.offset(to),
		text: text}
	switch {
	case f.function == nil:
		m.first, m.last = 1, math.MaxInt
	case f.isInCase:
		m.first, m.last = f.lineOf(f.body.Pos()), f.lineOf(f.body.End())
	default:
		m.first, m.last = m.line, m.line
	}
	m.old = string(f.source[m.from:m.to])
	if m.old != m.text {
		f.found = append(f.found, m)
	}
}

func (f *finder) textOf(n ast.Node) string {
	return string(f.source[f.offset(n.Pos()):f.offset(n.End())])
}

func (f *finder) lineOf(p token.Pos) int { return f.fset.Position(p).Line }

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }
