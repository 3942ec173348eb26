package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// target is one function that testing can fuzz.
type target struct {
	dir  string // its package's folder, below the root, with slashes
	name string
}

// find lists the targets of all test files below root, by folder and then in
// the order of their files. Hidden folders and testdata hold none of ours.
func find(root string) (all []target, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "cdk.out"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		names, err := targetsOf(path)
		for _, name := range names {
			all = append(all, target{filepath.ToSlash(dir), name})
		}
		return err
	})
	return all, err
}

// targetsOf lists the functions of a file that go test takes for fuzz targets.
func targetsOf(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && f.Type.Params.NumFields() == 1 {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}
