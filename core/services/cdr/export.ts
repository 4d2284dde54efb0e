import type { Cdr, CdrPosition } from '../../data/repositories/calls/cdr.js';
import { CDR_COLUMNS, cdrFields, type CallDetail } from '../../model/cdr/record.js';
import { csvLine } from '../../model/csv.js';

/** Calls that were created from one time up to another that is not included any more. */
export interface CdrPeriod {
  readonly from: Date;
  readonly before: Date;
}

const PAGE = 1_000;

/** Call detail records as CSV, a page at a time: however many calls there are, one page is in memory. */
export class CdrExport {
  constructor(private readonly cdr: Pick<Cdr, 'page'>) {}

  /**
   * The line of names, then the calls by live keys of these projects that are over, each project's oldest first.
   * @param onPage is told of each page before it is handed on
   * @throws DatabaseUnavailable
   */
  async *csv(
    projectIds: readonly string[],
    period: CdrPeriod,
    onPage: (calls: readonly CallDetail[]) => void = () => undefined,
  ): AsyncGenerator<string, void, undefined> {
    // With the first page, so that a database that is away is known before anything was handed out.
    let text = csvLine(CDR_COLUMNS);
    for (const projectId of projectIds) {
      let after: CdrPosition | null = null;
      do {
        const calls: readonly CallDetail[] = await this.cdr.page(projectId, period, after, PAGE);
        onPage(calls);
        text += calls.map((call) => csvLine(cdrFields(call))).join('');
        if (text !== '') yield text;
        text = '';
        after = calls.length === PAGE ? (calls.at(-1) ?? null) : null;
      } while (after !== null);
    }
    if (text !== '') yield text;
  }
}
