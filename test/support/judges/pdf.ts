import { createCanvas } from '@napi-rs/canvas';
import jsQrModule from 'jsqr';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** Its types describe a different module format from the one that Node loads. */
const jsQr = jsQrModule as unknown as typeof jsQrModule.default;

export interface ReadPdf {
  readonly pages: number;
  /** The texts of all pages, as a person selects them. */
  readonly texts: readonly string[];
  readonly title: string;
  /** The content of the QR code on the last page, read from its image; null if there is none. */
  readonly qr: string | null;
}

const SCALE = 3;

/** Reads a PDF with a different program from the one that wrote it. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const document = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  try {
    const texts: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      texts.push(...items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? item.str : [])));
    }
    const { info } = await document.getMetadata();
    const last = await document.getPage(document.numPages);
    const viewport = last.getViewport({ scale: SCALE });
    const canvas = createCanvas(viewport.width, viewport.height);
    const context = canvas.getContext('2d');
    await last.render({ canvas: canvas as never, canvasContext: context as never, viewport }).promise;
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    return {
      pages: document.numPages,
      texts,
      title: (info as { Title?: string }).Title ?? '',
      qr: jsQr(data, width, height)?.data ?? null,
    };
  } finally {
    await document.destroy();
  }
}
