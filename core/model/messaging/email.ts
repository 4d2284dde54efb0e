/** An HTML document that shows a text as it was written, loads nothing, and lets each paragraph have its own direction. The link below it ends such mails. */
export function emailHtml(subject: string, text: string, unsubscribeUrl: string | null): string {
  const paragraphs = text.split(/\n{2,}/).map((paragraph) => `<p dir="auto">${linesOf(paragraph)}</p>`);
  return [
    '<!doctype html>',
    `<html><head><meta charset="utf-8"><title>${escape(subject)}</title></head>`,
    '<body style="font-family:Tahoma,Arial,sans-serif;font-size:16px;line-height:1.6">',
    ...paragraphs,
    ...(unsubscribeUrl === null ? [] : [footer(unsubscribeUrl)]),
    '</body></html>',
    '',
  ].join('\n');
}

const UNSUBSCRIBE = { ar: 'إلغاء الاشتراك', en: 'Unsubscribe' };

/** The text of a mail with the link by which its reader ends such mails. */
export function emailText(text: string, unsubscribeUrl: string | null): string {
  return unsubscribeUrl === null ? text : `${text}\n\n${UNSUBSCRIBE.ar} · ${UNSUBSCRIBE.en}:\n${unsubscribeUrl}`;
}

function footer(url: string): string {
  const [ar, en] = [`<span lang="ar">${UNSUBSCRIBE.ar}</span>`, `<span lang="en">${UNSUBSCRIBE.en}</span>`];
  return `<p style="font-size:13px"><a href="${escape(url)}">${ar} · ${en}</a></p>`;
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
