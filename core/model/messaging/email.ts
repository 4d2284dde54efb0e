/** An HTML document that shows a text as it was written, loads nothing, and lets each paragraph have its own direction. */
export function emailHtml(subject: string, text: string): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => `<p dir="auto">${linesOf(paragraph)}</p>`);
  return [
    '<!doctype html>',
    `<html><head><meta charset="utf-8"><title>${escape(subject)}</title></head>`,
    '<body style="font-family:Tahoma,Arial,sans-serif;font-size:16px;line-height:1.6">',
    ...paragraphs,
    '</body></html>',
    '',
  ].join('\n');
}

/** Web addresses become links. A bracket or a mark at the end of one is text. */
const ADDRESS = /https:\/\/[^\s<>"]+[^\s<>"().,;:!?،؛؟]/g;

function linesOf(paragraph: string): string {
  let html = '';
  let at = 0;
  for (const match of paragraph.matchAll(ADDRESS)) {
    const [address] = match;
    html += escape(paragraph.slice(at, match.index)) + `<a href="${escape(address)}">${escape(address)}</a>`;
    at = match.index + address.length;
  }
  return (html + escape(paragraph.slice(at))).replaceAll('\n', '<br>\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
