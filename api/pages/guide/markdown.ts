import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeText } from '../html.js';
import { Slugger } from './slug.js';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/** The text under one heading, without markup. */
export interface Section extends Heading {
  readonly body: string;
}

export interface ParsedDocument {
  /** The first heading. */
  readonly title: string;
  /** Decided by the share of Arabic letters outside code. */
  readonly language: 'ar' | 'en';
  readonly sections: readonly Section[];
  /** Targets of links and images, as written. */
  readonly links: readonly string[];
  readonly tokens: readonly Token[];
}

/** Turns a link of the document into an address; null shows the text without a link. */
export type LinkResolver = (href: string) => string | null;

/** Tags that Arabic documents need: code from left to right, and keys. */
const PASSED = /^<(code dir="ltr"|\/code|kbd|\/kbd)>$/;

const lexer = new Marked({ gfm: true });

/** Reads one document. Cheap: nothing is rendered yet. */
export function parseDocument(markdown: string): ParsedDocument {
  const tokens = lexer.lexer(markdown);
  const slugger = new Slugger();
  const sections: Section[] = [];
  for (const token of tokens) {
    if (isHeading(token)) {
      const text = plainText(token.tokens);
      sections.push({ depth: token.depth, text, anchor: slugger.next(text), body: '' });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined)
      sections[sections.length - 1] = { ...last, body: `${last.body} ${plainText([token])}`.trim() };
  }
  const links: string[] = [];
  void lexer.walkTokens(tokens, (token) => {
    if (token.type === 'link' || token.type === 'image') links.push((token as Tokens.Link).href);
  });
  return { title: sections[0]?.text ?? '', language: languageOf(sections), sections, links, tokens };
}

/**
 * Renders a document. Of raw HTML, only the tags of {@link PASSED} reach the page: comments and `div` (which GitHub
 * needs around Arabic) are dropped, anything else is shown as text. Links have only addresses that `resolve` returns.
 */
export function renderDocument({ tokens, sections }: ParsedDocument, resolve: LinkResolver): string {
  const anchors = sections.map(({ anchor }) => anchor)[Symbol.iterator]();
  const base = new Renderer();
  const renderer = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens: inner, depth }) {
        const anchor = escapeText(anchors.next().value ?? '');
        const level = String(depth);
        return (
          `<h${level} id="${anchor}">${this.parser.parseInline(inner)} ` +
          `<a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a></h${level}>\n`
        );
      },
      link({ href, tokens: inner }) {
        const text = this.parser.parseInline(inner);
        const address = resolve(href);
        return address === null ? text : `<a href="${escapeText(address)}">${text}</a>`;
      },
      image({ text }) {
        return escapeText(text);
      },
      html({ text }) {
        if (PASSED.test(text)) return text;
        return /^\s*(<!--[^]*?-->|<\/?div\b[^>]*>)\s*$/.test(text) ? '' : escapeText(text);
      },
      codespan({ text }) {
        return `<code dir="ltr">${escapeText(text)}</code>`;
      },
      code({ text }) {
        return `<pre dir="ltr" tabindex="0"><code>${escapeText(text)}</code></pre>\n`;
      },
      table(token) {
        base.parser = this.parser;
        return `<div class="scroll" tabindex="0">${base.table(token)}</div>\n`;
      },
    },
  });
  return renderer.parser([...tokens]);
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** The visible text of the tokens. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(plainOf).join('');
}

function plainOf(token: Token): string {
  switch (token.type) {
    case 'html':
    case 'hr':
      return '';
    case 'space':
    case 'br':
      return ' ';
    case 'code':
    case 'codespan':
    case 'escape':
      return (token as Tokens.Code).text;
    case 'list':
      return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
    }
    default: {
      const { tokens: inner, text = '' } = token as { tokens?: Token[]; text?: string };
      return inner === undefined ? text : plainText(inner);
    }
  }
}

function languageOf(sections: readonly Section[]): 'ar' | 'en' {
  const text = sections.map(({ text: heading, body }) => heading + body).join('');
  const arabic = text.match(/\p{Script=Arabic}/gu)?.length ?? 0;
  const latin = text.match(/[a-z]/gi)?.length ?? 0;
  return arabic > latin ? 'ar' : 'en';
}
