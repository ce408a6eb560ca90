// SPDX-License-Identifier: MIT
//
// Prints the truth about a JavaScript tree as TypeScript's checker sees it:
//
//     node from_tsc.js TYPESCRIPT ROOT FOLDER... > truth.tsv
//
// SCIP's indexer leaves out what CommonJS defines by assignment ('exports.f = ...', 'res.send = ...');
// the checker knows it. Columns are UTF-16 here; from_rows.py makes them bytes.
'use strict';

const fs = require('fs');
const path = require('path');
const ts = require(process.argv[2]);

const root = fs.realpathSync(process.argv[3]);
const folders = process.argv.slice(4);
const options = {
    allowJs: true,
    checkJs: false,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    esModuleInterop: true,
    maxNodeModuleJsDepth: 0,
};

function files(name) {
    if (name.includes('node_modules')) return [];
    const full = path.join(root, name);
    if (!fs.statSync(full).isDirectory()) return /\.[cm]?js$/.test(name) ? [full] : [];
    return fs.readdirSync(full).flatMap((entry) => files(path.join(name, entry)));
}

const program = ts.createProgram(folders.flatMap(files), options);
const checker = program.getTypeChecker();

function isOurs(file) {
    return file.fileName.startsWith(root + '/') && !file.fileName.includes('/node_modules/');
}

function place(node) {
    const file = node.getSourceFile();
    const at = file.getLineAndCharacterOfPosition(node.getStart(file));
    return [path.relative(root, file.fileName), at.line, at.character];
}

function resolved(symbol) {
    for (let n = 0; symbol && n < 8; n++) {
        if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
        else if (symbol.escapedName === 'export=') symbol = exported(symbol);
        else break;
    }
    return symbol;
}

// What 'module.exports = x' gives: x, or what the module exports that 'x' requires.
function exported(symbol) {
    let node = symbol.declarations && symbol.declarations[0];
    while (node && ts.isBinaryExpression(node)) node = node.right;
    if (!node) return undefined;
    if (ts.isIdentifier(node)) return checker.getSymbolAtLocation(node);
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'require') return undefined;
    const module = checker.getSymbolAtLocation(node.arguments[0]);
    return module && module.exports && module.exports.get('export=');
}

function symbolOf(id) {
    if (id.parent && ts.isShorthandPropertyAssignment(id.parent))
        return checker.getShorthandAssignmentValueSymbol(id.parent);
    return checker.getSymbolAtLocation(id);
}

function nameOf(declaration) {
    return ts.getNameOfDeclaration(declaration) || declaration;
}

function isFunctionLike(node) {
    return !!node && (ts.isFunctionExpression(node) || ts.isArrowFunction(node));
}

// The function that a variable, property or assignment is given, if any.
function valueOf(declaration) {
    let node = declaration;
    while (node && node.parent && ts.isPropertyAccessExpression(node)) node = node.parent;
    while (node && ts.isBinaryExpression(node)) node = node.right;
    if (node && node.initializer) node = node.initializer;
    return isFunctionLike(node) || (node && ts.isClassExpression(node)) ? node : null;
}

function isInFunction(declaration) {
    for (let node = declaration.parent; node; node = node.parent)
        if (ts.isFunctionLike(node)) return true;
    return false;
}

function kindOf(symbol, declaration) {
    const is = (flags) => (symbol.flags & flags) !== 0;
    if (ts.isModuleDeclaration(declaration)) return 'module';
    if (is(ts.SymbolFlags.TypeParameter) || ts.isParameter(declaration)) return 'local';
    if (is(ts.SymbolFlags.Constructor)) return 'constructor';
    if (is(ts.SymbolFlags.Method)) return 'method';
    if (is(ts.SymbolFlags.Property | ts.SymbolFlags.Accessor | ts.SymbolFlags.EnumMember))
        return isFunctionLike(valueOf(declaration)) ? 'method' : 'field';
    if (is(ts.SymbolFlags.Variable | ts.SymbolFlags.Function | ts.SymbolFlags.Class)) {
        if (isInFunction(declaration)) return 'local';
        if (is(ts.SymbolFlags.Class)) return 'class';
        if (is(ts.SymbolFlags.Function) || valueOf(declaration)) return 'function';
        return 'variable';
    }
    return is(ts.SymbolFlags.Type) ? 'class' : 'variable';
}

// 'x' of 'x()', 'a.x()' and 'new x()'.
function isCalled(id) {
    const access = id.parent;
    const callee = access && ts.isPropertyAccessExpression(access) && access.name === id ? access : id;
    const call = callee.parent;
    return !!call && (ts.isCallExpression(call) || ts.isNewExpression(call)) && call.expression === callee;
}

function print(id, role, symbol, definition, kind) {
    const [file, line, col] = place(id);
    const name = checker.symbolToString(symbol).replace(/\s+/g, ' ');
    const where = `${definition[0]}:${definition[1]}:${definition[2]}`;
    const fields = [file, line, col, col + id.text.length, role, `tsc ${where} ${name}`, ...definition, kind, id.text];
    process.stdout.write(fields.join('\t') + '\n');
}

function visit(node) {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) identifier(node);
    ts.forEachChild(node, visit);
}

// The declarations proper: 'res' in 'res.send = f' is one for the checker, but declares nothing.
function declarationsOf(symbol) {
    return (symbol.declarations || []).filter((one) => !ts.isSourceFile(one) && !ts.isIdentifier(one));
}

// 'x' of 'const x = require(…)' and of 'const { x } = require(…)': another name for what it gets.
function isAlias(id, symbol) {
    return symbol.flags & ts.SymbolFlags.Alias && nameOf(symbol.declarations[0]) === id;
}

function identifier(id) {
    let symbol = symbolOf(id);
    if (!symbol || id.text === 'module' || id.text === 'exports') return;
    const role = isAlias(id, symbol) ? 'alias' : isCalled(id) ? 'call' : 'ref';
    symbol = resolved(symbol);
    if (!symbol) return;
    const declarations = declarationsOf(symbol);
    for (const declaration of declarations) {
        const name = nameOf(declaration);
        const kind = kindOf(symbol, declaration);
        if (!isOurs(declaration.getSourceFile())) print(id, role, symbol, ['-', 0, 0], kind);
        else if (name === id || (name.name && name.name === id)) print(id, 'def', symbol, place(id), kind);
        else if (!declarations.some((one) => nameOf(one) === id || nameOf(one).name === id))
            print(id, role, symbol, place(name.name || name), kind);
    }
}

for (const file of program.getSourceFiles()) if (isOurs(file)) visit(file);
