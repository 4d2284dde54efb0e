import type { InvoiceLine } from '../../core/model/invoice/lines.js';
import { arabic } from '../../core/model/wording/wording.js';

/** A text in both languages. */
export interface Words {
  readonly en: string;
  readonly ar: string;
}

export const WORDS = {
  title: { en: 'Tax invoice', ar: 'فاتورة ضريبية' },
  number: { en: 'Invoice number', ar: 'رقم الفاتورة' },
  issued: { en: 'Issued (Riyadh)', ar: 'تاريخ الإصدار (بتوقيت الرياض)' },
  period: { en: 'Period', ar: 'الفترة' },
  seller: { en: 'Seller', ar: 'البائع' },
  vatNumber: { en: 'VAT registration number', ar: 'رقم تسجيل ضريبة القيمة المضافة' },
  address: { en: 'Address', ar: 'العنوان' },
  buyer: { en: 'Customer', ar: 'العميل' },
  description: { en: 'Description', ar: 'الوصف' },
  quantity: { en: 'Quantity', ar: 'الكمية' },
  minutes: { en: 'Minutes', ar: 'الدقائق' },
  amount: { en: 'SAR', ar: 'المبلغ (ر.س)' },
  net: { en: 'Total excluding VAT', ar: 'الإجمالي (غير شامل ضريبة القيمة المضافة)' },
  gross: { en: 'Total including VAT', ar: 'الإجمالي (شامل ضريبة القيمة المضافة)' },
  fromBalance: { en: 'Paid from balance', ar: 'مدفوع من الرصيد' },
  due: { en: 'Amount due', ar: 'المبلغ المستحق' },
  paid: { en: 'Paid on', ar: 'دُفعت بتاريخ' },
  creditTitle: { en: 'Credit note', ar: 'إشعار دائن' },
  creditNumber: { en: 'Credit note number', ar: 'رقم الإشعار الدائن' },
  creditedInvoice: { en: 'For tax invoice', ar: 'عن الفاتورة الضريبية' },
  reason: { en: 'Reason', ar: 'السبب' },
  creditNet: { en: 'Credit excluding VAT', ar: 'المبلغ الدائن (غير شامل ضريبة القيمة المضافة)' },
  creditGross: { en: 'Credit including VAT', ar: 'المبلغ الدائن (شامل ضريبة القيمة المضافة)' },
} as const satisfies Record<string, Words>;

export function vatWords(percent: number): Words {
  return { en: `VAT ${percent}%`, ar: arabic`ضريبة القيمة المضافة ${`${percent}%`}` };
}

export function pageWords(page: number, pages: number): Words {
  return { en: `Page ${page} of ${pages}`, ar: `صفحة ${page} من ${pages}` };
}

const KINDS = {
  outbound: { en: 'Outgoing calls', ar: 'مكالمات صادرة' },
  inbound: { en: 'Incoming calls', ar: 'مكالمات واردة' },
  callback: { en: 'Callbacks', ar: 'مكالمات معاودة الاتصال' },
  web: { en: 'Calls from web pages', ar: 'مكالمات من الموقع الإلكتروني' },
} as const satisfies Record<NonNullable<InvoiceLine['call_kind']>, Words>;

/** For a leg whose direction differs from its call's kind: forwarded, or back to a customer. */
const WAYS = {
  outbound: { en: ', outgoing leg', ar: '، الطرف الصادر' },
  inbound: { en: ', incoming leg', ar: '، الطرف الوارد' },
} as const satisfies Record<NonNullable<InvoiceLine['direction']>, Words>;

/** The members of a line that say what was used. */
type UsedLine = Pick<InvoiceLine, 'kind' | 'month' | 'direction' | 'call_kind' | 'usage_type'>;

/** Returns the description of an invoice line. @param month the invoice's; a line of another month is marked as late */
export function lineWords(line: UsedLine, month: string): Words {
  const what = usedWords(line);
  if (line.month === month) return what;
  return { en: `${what.en} (late, of ${line.month})`, ar: arabic`${what.ar} (قيد متأخر عن شهر ${line.month})` };
}

function usedWords({ kind: used, direction, call_kind, usage_type }: UsedLine): Words {
  if (used === 'numbers') return { en: 'Monthly fees of numbers', ar: 'رسوم الأرقام الشهرية' };
  if (direction === null || call_kind === null) {
    return { en: `Usage: ${usage_type ?? ''}`, ar: arabic`استخدام: ${usage_type ?? ''}` };
  }
  const kind = KINDS[call_kind];
  if (call_kind === direction) return kind;
  const way = WAYS[direction];
  return { en: kind.en + way.en, ar: kind.ar + way.ar };
}
