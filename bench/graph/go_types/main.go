// SPDX-License-Identifier: MIT

// Prints the truth about a Go tree (../README.md) as go/types, the compiler's own checker, sees it.
//
//	truth ROOT > truth.tsv
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo

type maker struct {
	root string
	fset *token.FileSet
	out  *bufio.Writer
	seen map[string]bool
}

func (m *maker) place(pos token.Pos) (path string, line, col int, inside bool) {
	if !pos.IsValid() {
		return "-", 0, 0, false
	}
	at := m.fset.PositionFor(pos, false)
	path, err := filepath.Rel(m.root, at.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return "-", 0, 0, false
	}
	return filepath.ToSlash(path), at.Line - 1, at.Column - 1, true
}

func kind(obj types.Object) string {
	switch o := obj.(type) {
	case *types.PkgName:
		return "module"
	case *types.TypeName:
		if _, ok := o.Type().(*types.TypeParam); ok || isLocal(obj) {
			return "local"
		}
		return "class"
	case *types.Func:
		if o.Signature().Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
	case *types.Builtin:
		return "function"
	}
	if isLocal(obj) {
		return "local"
	}
	return "variable"
}

func isLocal(obj types.Object) bool {
	return obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope()
}

func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Var:
		return o.Origin()
	case *types.Func:
		return o.Origin()
	}
	return obj
}

func symbol(obj types.Object) string {
	if obj.Pkg() == nil {
		return "builtin " + obj.Name()
	}
	if f, ok := obj.(*types.Func); ok {
		return f.FullName()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

func (m *maker) row(id *ast.Ident, role string, obj types.Object) {
	path, line, col, inside := m.place(id.Pos())
	if !inside || id.Name == "_" {
		return
	}
	obj = origin(obj)
	defPath, defLine, defCol, _ := m.place(obj.Pos())
	if _, ok := obj.(*types.PkgName); ok && role != "def" && defPath == "-" {
		return
	}
	row := fmt.Sprintf("%s\t%d\t%d\t%d\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", path, line, col, col+len(id.Name), role,
		symbol(obj), defPath, defLine, defCol, kind(obj), id.Name)
	if !m.seen[row] {
		m.seen[row] = true
		m.out.WriteString(row)
	}
}

// The names that are called: f(), x.f(), f[T]().
func called(files []*ast.File) map[*ast.Ident]bool {
	names := map[*ast.Ident]bool{}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id := name(call.Fun); id != nil {
					names[id] = true
				}
			}
			return true
		})
	}
	return names
}

func name(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.ParenExpr:
		return name(e.X)
	case *ast.IndexExpr:
		return name(e.X)
	case *ast.IndexListExpr:
		return name(e.X)
	}
	return nil
}

func (m *maker) add(pkg *packages.Package) {
	calls := called(pkg.Syntax)
	for id, obj := range pkg.TypesInfo.Defs {
		if obj != nil {
			m.row(id, "def", obj)
		}
	}
	for id, obj := range pkg.TypesInfo.Uses {
		role := "ref"
		// a[i]() calls an element of a, whatever a is
		if calls[id] && kind(obj) != "module" {
			role = "call"
		}
		m.row(id, role, obj)
	}
}

func main() {
	log.SetFlags(0)
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: root, Fset: fset, Tests: true}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	m := &maker{root, fset, bufio.NewWriter(os.Stdout), map[string]bool{}}
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			log.Printf("%s: %v", pkg.ID, e)
		}
		m.add(pkg)
	}
	if err := m.out.Flush(); err != nil {
		log.Fatal(err)
	}
}
