import type { Cdr, CdrPosition } from '../../data/repositories/calls/cdr.js';
import { cdrColumns, cdrFields, type CallDetail } from '../../model/cdr/record.js';
import { csvLine } from '../../model/csv.js';

/** The half-open period in which calls were created: from `from`, before `before`. */
export interface CdrPeriod {
  readonly from: Date;
  readonly before: Date;
}

export interface CdrExportOptions {
  /** Whether a last column has customers' full numbers. The caller audits this first. Default false. */
  readonly unmasked?: boolean;
  /** Called with each page before its text is yielded. */
  readonly onPage?: (calls: readonly CallDetail[]) => void;
}

const PAGE_SIZE = 1_000;

/** Exports call detail records as CSV page by page, so that only one page is in memory. */
export class CdrExport {
  constructor(private readonly cdr: Pick<Cdr, 'page'>) {}

  /**
   * Yields the header line, then the finished calls of live keys in these projects, each project's oldest first.
   * @throws DatabaseUnavailable
   */
  async *csv(
    projectIds: readonly string[],
    period: CdrPeriod,
    { unmasked = false, onPage = () => undefined }: CdrExportOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    // The header goes out with the first page, so that an unavailable database fails before anything was yielded.
    let text = csvLine(cdrColumns(unmasked));
    for (const projectId of projectIds) {
      let after: CdrPosition | null = null;
      do {
        const calls: readonly CallDetail[] = await this.cdr.page(projectId, period, after, PAGE_SIZE);
        onPage(calls);
        text += calls.map((call) => csvLine(cdrFields(call, unmasked))).join('');
        if (text !== '') yield text;
        text = '';
        after = calls.length === PAGE_SIZE ? (calls.at(-1) ?? null) : null;
      } while (after !== null);
    }
    if (text !== '') yield text;
  }
}
