import ts from 'typescript';

/**
 * The text of a file that a person reads: Markdown without code and addresses, YAML and settings files unchanged, the
 * comments and strings of TypeScript. Everything else is replaced with spaces, so that line numbers do not change.
 */
export function proseOf(file, text) {
  if (file.endsWith('.md')) return markdown(text);
  return /\.[cm]?tsx?$/.test(file) ? typescript(file, text) : text;
}

function markdown(text) {
  return text
    .replace(/^ *```[^]*?^ *```/gm, blank)
    .replace(/`[^`\n]*(?:\n[^`\n]+)?`/g, blank)
    .replace(/\]\([^)]*\)/g, blank);
}

function typescript(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const kept = new Map();
  const keep = ({ pos, end }) => kept.set(pos, end);
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) keep(range);
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) keep(range);
    if (isText(node)) keep({ pos: node.getStart(source), end: node.getEnd() });
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  let prose = '';
  for (const [pos, end] of [...kept].sort(([a], [b]) => a - b)) {
    if (pos < prose.length) continue;
    prose += blank(text.slice(prose.length, pos)) + text.slice(pos, end).replace(/`[^`\n]*`/g, blank);
  }
  return prose;
}

/** Whether the node is a literal that people may read: not the path of an import, not a template's code. */
function isText(node) {
  if (ts.isImportDeclaration(node.parent ?? node) || ts.isExportDeclaration(node.parent ?? node)) return false;
  return ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node);
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}
