import PDFDocument from 'pdfkit';
import { encode } from 'uqr';
import { invoiceQr } from '../../core/model/invoice/qr.js';
import type { Seller } from '../../core/model/invoice/seller.js';
import { formatSar, type MicroSar } from '../../core/model/money.js';
import { FONTS, Typesetter, type Style } from './typesetter.js';
import { pageWords, WORDS, type Words } from './wording.js';

/** In points; A4 is 595 by 842. */
const LEFT = 40;
const WIDTH = 515;
const BOTTOM = 780;
/** From left to right: English, numbers, Arabic. */
const COLUMNS = {
  en: { x: LEFT, width: 165 },
  quantity: { x: 210, width: 55 },
  minutes: { x: 270, width: 60 },
  amount: { x: 335, width: 60 },
  ar: { x: 400, width: 155 },
} as const;
const TOTALS = { en: { x: 190, width: 130 }, amount: { x: 322, width: 85 }, ar: { x: 410, width: 145 } } as const;
const QR_SIZE = 120;
const GREY = '#666666';
const RULE = '#bbbbbb';

/** A line of a tax document. */
export interface DocumentLine {
  readonly project_id: string;
  readonly project_name: string;
  readonly words: Words;
  /** Empty if the line has none. */
  readonly quantity: string;
  readonly minutes: string;
  readonly amount: MicroSar;
}

/** What a tax document shows: an invoice or a credit note. */
export interface TaxDocument {
  readonly title: Words;
  readonly number: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly fields: readonly (readonly [words: Words, value: string])[];
  readonly lines: readonly DocumentLine[];
  /** The last element is true for a sum in bold. */
  readonly sums: readonly (readonly [words: Words, value: string, isMain: boolean])[];
  readonly gross: MicroSar;
  readonly vat: MicroSar;
}

/** Renders a document in Arabic and English, with the QR code that Saudi tax documents require. */
export function taxDocumentPdf(document: TaxDocument): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: FONTS.regular,
    bufferPages: true,
    lang: 'ar-SA',
    info: { Title: document.number, Author: document.seller.name_en, CreationDate: document.issued_at },
  });
  const printed = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    doc.on('data', (part: Buffer) => parts.push(part));
    doc.on('end', () => resolve(Buffer.concat(parts)));
    doc.on('error', reject);
  });
  new DocumentPage(doc, document).draw();
  doc.end();
  return printed;
}

class DocumentPage {
  readonly #type: Typesetter;
  #y = 40;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly document: TaxDocument,
  ) {
    this.#type = new Typesetter(doc);
  }

  draw(): void {
    const { seller, title, fields } = this.document;
    this.#bilingual({ en: seller.name_en, ar: seller.name_ar }, { font: 'bold', size: 13 });
    this.#bilingual(title, { size: 13, color: GREY });
    this.#rule();
    for (const [words, value] of fields) this.#field(words, value);
    this.#lines();
    this.#totals();
    this.#footers();
  }

  #lines(): void {
    this.#columnHeadings();
    let project = '';
    for (const line of this.document.lines) {
      if (project !== line.project_id) {
        this.#ensureSpace(45);
        this.#y += 4 + this.#type.text(line.project_name, { x: LEFT, y: this.#y + 4, width: WIDTH }, { font: 'bold' });
      }
      project = line.project_id;
      this.#ensureSpace(30);
      this.#line(line);
    }
    this.#rule();
  }

  #line({ words, quantity, minutes, amount }: DocumentLine): void {
    const at = { y: this.#y };
    const right = { align: 'right' } as const;
    const heights = [
      this.#type.text(words.en, { ...COLUMNS.en, ...at }, { direction: 'ltr' }),
      this.#type.text(words.ar, { ...COLUMNS.ar, ...at }, { ...right, direction: 'rtl' }),
    ];
    this.#type.text(quantity, { ...COLUMNS.quantity, ...at }, right);
    this.#type.text(minutes, { ...COLUMNS.minutes, ...at }, right);
    this.#type.text(sar(amount), { ...COLUMNS.amount, ...at }, right);
    this.#y += Math.max(...heights) + 2;
  }

  #columnHeadings(): void {
    this.#rule();
    const at = { y: this.#y };
    const style = { font: 'bold', size: 8, color: GREY } as const;
    this.#type.text(WORDS.description.en, { ...COLUMNS.en, ...at }, style);
    this.#type.text(WORDS.description.ar, { ...COLUMNS.ar, ...at }, { ...style, align: 'right' });
    for (const column of ['quantity', 'minutes', 'amount'] as const) {
      this.#type.text(WORDS[column].ar, { ...COLUMNS[column], ...at }, { ...style, align: 'right' });
      const below = { ...COLUMNS[column], y: this.#y + 11 };
      this.#type.text(WORDS[column].en, below, { ...style, align: 'right' });
    }
    this.#y += 25;
    this.#rule();
  }

  /** Draws the totals next to the QR code, on the same page. */
  #totals(): void {
    this.#ensureSpace(QR_SIZE + 20);
    const top = this.#y;
    this.#qr(top);
    for (const [words, value, isMain] of this.document.sums) this.#sum(words, value, isMain);
    this.#y = Math.max(this.#y, top + QR_SIZE);
  }

  #sum(words: Words, amount: string, isMain: boolean): void {
    const style = { font: isMain ? 'bold' : 'regular', size: 9.5 } as const;
    const at = { y: this.#y };
    const heights = [
      this.#type.text(words.en, { ...TOTALS.en, ...at }, { ...style, direction: 'ltr' }),
      this.#type.text(words.ar, { ...TOTALS.ar, ...at }, { ...style, align: 'right', direction: 'rtl' }),
    ];
    this.#type.text(amount, { ...TOTALS.amount, ...at }, { ...style, align: 'right' });
    this.#y += Math.max(...heights) + 4;
  }

  #qr(top: number): void {
    const { seller, issued_at: issuedAt, gross, vat } = this.document;
    const text = invoiceQr({ sellerName: seller.name_ar, vatNumber: seller.vat_number, issuedAt, gross, vat });
    const { data, size } = encode(text, { ecc: 'M', border: 4 });
    const module = QR_SIZE / size;
    for (const [row, modules] of data.entries()) {
      for (const [column, isDark] of modules.entries()) {
        if (isDark) this.doc.rect(LEFT + column * module, top + row * module, module, module);
      }
    }
    this.doc.fill('#000000');
  }

  /** Draws a title in both languages, one on each side. */
  #bilingual(words: Words, style: Style): void {
    const half = WIDTH / 2 - 5;
    const box = { y: this.#y, width: half };
    const heights = [
      this.#type.text(words.en, { ...box, x: LEFT }, style),
      this.#type.text(words.ar, { ...box, x: LEFT + WIDTH - half }, { ...style, align: 'right' }),
    ];
    this.#y += Math.max(...heights) + 2;
  }

  /** Draws a label in both languages with the value between them. */
  #field(words: Words, value: string): void {
    const box = { y: this.#y, width: 125 };
    this.#type.text(words.en, { ...box, x: LEFT }, { color: GREY });
    this.#type.text(words.ar, { ...box, x: LEFT + WIDTH - box.width }, { color: GREY, align: 'right' });
    const middle = { x: LEFT + box.width, y: this.#y, width: WIDTH - 2 * box.width };
    this.#y += this.#type.text(value, middle, { align: 'center' }) + 2;
  }

  #footers(): void {
    const { start, count } = this.doc.bufferedPageRange();
    for (let page = start; page < start + count; page++) {
      this.doc.switchToPage(page);
      this.#y = 805;
      this.#bilingual(pageWords(page + 1, count), { size: 8, color: GREY });
      const middle = { x: LEFT, y: 805, width: WIDTH };
      this.#type.text(this.document.number, middle, { size: 8, color: GREY, align: 'center' });
    }
  }

  #ensureSpace(height: number): void {
    if (this.#y + height <= BOTTOM) return;
    this.doc.addPage();
    this.#y = 40;
    this.#columnHeadings();
  }

  #rule(): void {
    this.#y += 4;
    this.doc
      .moveTo(LEFT, this.#y)
      .lineTo(LEFT + WIDTH, this.#y)
      .lineWidth(0.5)
      .stroke(RULE);
    this.#y += 5;
  }
}

export function sar(amount: MicroSar): string {
  return grouped(formatSar(amount));
}

/** Formats 1234567.50 as 1,234,567.50. */
export function grouped(digits: string): string {
  return digits.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}
