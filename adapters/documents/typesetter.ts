import { createRequire } from 'node:module';
import bidiFactory, { type Bidi } from 'bidi-js';

/** Arabic and Latin in one design, so that they fit on the same line; SIL Open Font License. */
const FAMILY = '@expo-google-fonts/ibm-plex-sans-arabic';
const { resolve } = createRequire(import.meta.url);
export const FONTS = {
  regular: resolve(`${FAMILY}/400Regular/IBMPlexSansArabic_400Regular.ttf`),
  bold: resolve(`${FAMILY}/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf`),
} as const;

export interface Style {
  readonly font?: keyof typeof FONTS;
  readonly size?: number;
  readonly align?: 'left' | 'right' | 'center';
  /** The base direction, if it is not that of the first letter. */
  readonly direction?: 'ltr' | 'rtl';
  readonly color?: string;
}

/** The position of a text, in points from the top left. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** The package's types describe another module format than Node loads: the import is the function itself. */
const bidi = (bidiFactory as unknown as () => Bidi)();
/**
 * With any feature set, PDFKit shapes the text as a whole instead of word by word, which would put Arabic words in the
 * wrong order.
 */
const SHAPED = { lineBreak: false, features: [] as PDFKit.Mixins.OpenTypeFeatures[] };
const LINE_HEIGHT = 1.45;
/** Directional isolates: they control the order of the enclosed text and are invisible. */
const ISOLATES = /[\u2066-\u2069]/;
const HAS_ARABIC = /\p{Script=Arabic}/u;

/**
 * Typesets lines of Arabic and Latin text: the Unicode bidirectional algorithm (UAX 9) orders the runs, and the font's
 * own rules join the letters.
 */
export class Typesetter {
  constructor(private readonly doc: PDFKit.PDFDocument) {}

  /** @returns the height of the text */
  text(text: string, box: Box, style: Style = {}): number {
    const { font = 'regular', size = 9, align = 'left', color = '#111111' } = style;
    this.doc.font(FONTS[font]).fontSize(size).fillColor(color);
    const lines = this.#wrapped(text, box.width, style.direction);
    for (const [index, line] of lines.entries()) {
      const runs = visualRuns(line, style.direction);
      const room = box.width - this.#width(runs);
      let x = box.x + (align === 'right' ? room : align === 'center' ? room / 2 : 0);
      for (const run of runs) {
        this.doc.text(run, x, box.y + index * size * LINE_HEIGHT, SHAPED);
        x += this.#width([run]);
      }
    }
    return lines.length * size * LINE_HEIGHT;
  }

  #wrapped(text: string, width: number, direction: Style['direction']): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of text.split(/\s+/).flatMap((word) => this.#pieces(word, width))) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line !== '' && this.#width(visualRuns(longer, direction)) > width) {
        lines.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    return [...lines, line];
  }

  /** Breaks a word that is wider than a line. */
  #pieces(word: string, width: number): string[] {
    const pieces: string[] = [];
    let piece = '';
    for (const character of word) {
      if (piece !== '' && this.#width([piece + character]) > width) {
        pieces.push(piece);
        piece = '';
      }
      piece += character;
    }
    return [...pieces, piece];
  }

  #width(runs: readonly string[]): number {
    return runs.reduce((sum, run) => sum + this.doc.widthOfString(run, SHAPED), 0);
  }
}

/**
 * Splits a line into its runs from left to right. Arabic runs stay in logical order, because the font reverses them
 * when it shapes them.
 */
function visualRuns(line: string, direction?: 'ltr' | 'rtl'): string[] {
  if (line === '') return [];
  const levels = bidi.getEmbeddingLevels(line, direction ?? 'auto');
  const mirrored = bidi.getMirroredCharactersMap(line, levels.levels);
  const order = bidi.getReorderedIndices(line, levels);
  const runs: { level: number; indices: number[] }[] = [];
  for (const index of order) {
    if (ISOLATES.test(line.charAt(index))) continue;
    const level = levels.levels[index] ?? 0;
    const last = runs.at(-1);
    if (last?.level === level) last.indices.push(index);
    else runs.push({ level, indices: [index] });
  }
  return runs.map(({ level, indices }) => {
    const isReversed = level % 2 === 1;
    const text = (of: readonly number[]): string =>
      of.map((index) => mirrored.get(index) ?? line.charAt(index)).join('');
    // The font does not reverse a run without Arabic letters.
    return isReversed && HAS_ARABIC.test(text(indices)) ? text([...indices].reverse()) : text(indices);
  });
}
