import PDFDocument from 'pdfkit';
import { encode } from 'uqr';
import type { InvoiceLine } from '../../core/model/invoice/lines.js';
import { dayAfterMonth } from '../../core/model/invoice/month.js';
import { invoiceQr } from '../../core/model/invoice/qr.js';
import { formatSar, type MicroSar } from '../../core/model/money.js';
import { riyadhDay, riyadhTime } from '../../core/model/riyadh.js';
import { minutesOf } from '../../core/model/usage.js';
import type { PrintedInvoice } from '../../core/ports/invoice-document.js';
import { FONTS, Typesetter, type Style } from './typesetter.js';
import { lineWords, pageWords, vatWords, WORDS, type Words } from './wording.js';

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

/** Renders an invoice in Arabic and English, with the QR code that Saudi tax invoices require. */
export function invoicePdf(invoice: PrintedInvoice): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    font: FONTS.regular,
    bufferPages: true,
    lang: 'ar-SA',
    info: { Title: invoice.number, Author: invoice.seller.name_en, CreationDate: invoice.issued_at },
  });
  const printed = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    doc.on('data', (part: Buffer) => parts.push(part));
    doc.on('end', () => resolve(Buffer.concat(parts)));
    doc.on('error', reject);
  });
  new InvoicePage(doc, invoice).draw();
  doc.end();
  return printed;
}

class InvoicePage {
  readonly #type: Typesetter;
  #y = 40;

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly invoice: PrintedInvoice,
  ) {
    this.#type = new Typesetter(doc);
  }

  draw(): void {
    const { seller, buyer, number, month, issued_at } = this.invoice;
    this.#bilingual({ en: seller.name_en, ar: seller.name_ar }, { font: 'bold', size: 13 });
    this.#bilingual(WORDS.title, { size: 13, color: GREY });
    this.#rule();
    this.#field(WORDS.number, number);
    this.#field(WORDS.issued, riyadhTime(issued_at).slice(0, 16).replace('T', ' '));
    this.#field(WORDS.period, `${month}-01 / ${lastDayOf(month)}`);
    this.#field(WORDS.seller, `${seller.name_ar} / ${seller.name_en}`);
    this.#field(WORDS.vatNumber, seller.vat_number);
    this.#field(WORDS.address, seller.address);
    this.#field(WORDS.buyer, buyer.name);
    this.#lines();
    this.#totals();
    this.#footers();
  }

  #lines(): void {
    this.#columnHeadings();
    let project = '';
    for (const line of this.invoice.lines) {
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

  #line(line: InvoiceLine): void {
    const words = lineWords(line, this.invoice.month);
    const at = { y: this.#y };
    const right = { align: 'right' } as const;
    const heights = [
      this.#type.text(words.en, { ...COLUMNS.en, ...at }, { direction: 'ltr' }),
      this.#type.text(words.ar, { ...COLUMNS.ar, ...at }, { ...right, direction: 'rtl' }),
    ];
    this.#type.text(grouped(String(line.quantity)), { ...COLUMNS.quantity, ...at }, right);
    if (line.seconds !== null) {
      this.#type.text(grouped(minutesOf(line.seconds).toFixed(2)), { ...COLUMNS.minutes, ...at }, right);
    }
    this.#type.text(sar(line.amount), { ...COLUMNS.amount, ...at }, right);
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
    const { net, vat, gross, balance_net, balance_vat, due, vat_percent, paid_at } = this.invoice;
    this.#ensureSpace(QR_SIZE + 20);
    const top = this.#y;
    this.#qr(top);
    this.#sum(WORDS.net, sar(net));
    this.#sum(vatWords(vat_percent), sar(vat));
    this.#sum(WORDS.gross, sar(gross), true);
    this.#sum(WORDS.fromBalance, sar(balance_net + balance_vat));
    this.#sum(WORDS.due, sar(due), true);
    if (paid_at) this.#sum(WORDS.paid, riyadhDay(paid_at));
    this.#y = Math.max(this.#y, top + QR_SIZE);
  }

  #sum(words: Words, amount: string, isMain = false): void {
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
    const { seller, issued_at: issuedAt, gross, vat } = this.invoice;
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
      this.#type.text(this.invoice.number, middle, { size: 8, color: GREY, align: 'center' });
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

const DAY_MS = 86_400_000;

function lastDayOf(month: string): string {
  return new Date(new Date(dayAfterMonth(month)).getTime() - DAY_MS).toISOString().slice(0, 10);
}

function sar(amount: MicroSar): string {
  return grouped(formatSar(amount));
}

/** Formats 1234567.50 as 1,234,567.50. */
function grouped(digits: string): string {
  return digits.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}
