/** Markup that is safe to send as it is. */
export class Html {
  constructor(readonly markup: string) {}
}

type Piece = string | number | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as markup: safe in an element and in a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** A template of markup. Interpolated values are escaped unless they are {@link Html}. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const markup = parts.reduce((text, part, index) => text + render(pieces[index - 1] ?? '') + part);
  return new Html(markup);
}

function render(piece: Piece): string {
  if (piece instanceof Html) return piece.markup;
  if (typeof piece === 'object') return piece.map(({ markup }) => markup).join('');
  return escapeText(String(piece));
}

/** Text with its `backticked` spans shown as code, left to right also in Arabic. */
export function prose(text: string): Html {
  const pieces = text
    .split('`')
    .map((span, index) => (index % 2 === 0 ? html`${span}` : html`<code dir="ltr">${span}</code>`));
  return html`${pieces}`;
}
