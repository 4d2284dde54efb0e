import type { Cdr, CdrPosition } from '../../data/repositories/calls/cdr.js';
import { CDR_COLUMNS, cdrFields, type CallDetail } from '../../model/cdr/record.js';
import { csvLine } from '../../model/csv.js';

/** The half-open period in which calls were created: from `from`, before `before`. */
export interface CdrPeriod {
  readonly from: Date;
  readonly before: Date;
}

const PAGE_SIZE = 1_000;

/** Exports call detail records as CSV page by page, so that only one page is in memory. */
export class CdrExport {
  constructor(private readonly cdr: Pick<Cdr, 'page'>) {}

  /**
   * Yields the header line, then the finished calls of live keys in these projects, each project's oldest first.
   * @param onPage called with each page before its text is yielded
   * @throws DatabaseUnavailable
   */
  async *csv(
    projectIds: readonly string[],
    period: CdrPeriod,
    onPage: (calls: readonly CallDetail[]) => void = () => undefined,
  ): AsyncGenerator<string, void, undefined> {
    // The header goes out with the first page, so that an unavailable database fails before anything was yielded.
    let text = csvLine(CDR_COLUMNS);
    for (const projectId of projectIds) {
      let after: CdrPosition | null = null;
      do {
        const calls: readonly CallDetail[] = await this.cdr.page(projectId, period, after, PAGE_SIZE);
        onPage(calls);
        text += calls.map((call) => csvLine(cdrFields(call))).join('');
        if (text !== '') yield text;
        text = '';
        after = calls.length === PAGE_SIZE ? (calls.at(-1) ?? null) : null;
      } while (after !== null);
    }
    if (text !== '') yield text;
  }
}
