import type { Porting, PortingDetails } from '../../data/repositories/numbers/porting.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { NumberDocumentRow, PortingRequestRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { DocumentKind, PortingStatus } from '../../model/number/porting.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { presentDocument, type DocumentFile, type DocumentObject, type Documents } from '../numbers/documents.js';
import type { NumberOwner } from '../numbers/number-assigner.js';
import type { PortingSteps } from './steps.js';

export interface PortingRequestsOptions {
  readonly porting: Porting;
  readonly documents: Documents;
  readonly steps: PortingSteps;
  readonly clock: Clock;
}

/** A porting request as the API shows it to its owner and the operator. */
export interface PortingObject {
  readonly id: string;
  readonly status: PortingStatus;
  readonly numbers: readonly string[];
  readonly carrier: string;
  readonly account_name: string;
  readonly account_number: string | null;
  readonly notes: string | null;
  readonly wanted_at: string | null;
  readonly scheduled_at: string | null;
  readonly reason: string | null;
  readonly documents: readonly DocumentObject[];
  readonly created_at: string;
  readonly submitted_at: string | null;
  readonly ended_at: string | null;
}

/** Documents can be added until the operator has decided. */
const TAKES_DOCUMENTS: readonly PortingStatus[] = ['draft', 'submitted', 'in_review'];

/** Customers' operations on porting requests. */
export class PortingRequests {
  constructor(private readonly options: PortingRequestsOptions) {}

  /** @throws HatifError VALIDATION_ERROR if a number appears twice */
  async create(details: PortingDetails, owner: NumberOwner): Promise<PortingObject> {
    checkNumbers(details.numbers);
    const row: PortingRequestRow = {
      ...details,
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      sandbox: owner.sandbox,
      status: 'draft',
      reason: null,
      scheduled_at: null,
      created_at: this.options.clock.now(),
      submitted_at: null,
      ended_at: null,
    };
    await this.options.porting.insert(row);
    return presentPorting(row, []);
  }

  async list(
    of: ProjectKind,
    status: PortingStatus | null,
    beforeId: string | null,
    limit: number,
  ): Promise<PortingObject[]> {
    const rows = await this.options.porting.page(of, status, beforeId, limit);
    return Promise.all(rows.map((row) => this.present(row)));
  }

  /** @throws HatifError PORTING_NOT_FOUND */
  async get(of: ProjectKind, id: string): Promise<PortingObject> {
    return this.present(await this.#row(of, id));
  }

  /** @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE if it was already submitted, VALIDATION_ERROR */
  async change(of: ProjectKind, id: string, details: Partial<PortingDetails>): Promise<PortingObject> {
    const before = await this.#row(of, id);
    if (details.numbers) checkNumbers(details.numbers);
    const row = before.status === 'draft' ? await this.options.porting.change(id, details) : null;
    if (!row) throw invalidState(await this.#row(of, id));
    return this.present(row);
  }

  /**
   * @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE if it is already decided, VALIDATION_ERROR;
   * StorageError
   */
  async addDocument(of: ProjectKind, id: string, kind: DocumentKind, file: DocumentFile): Promise<PortingObject> {
    const row = await this.#row(of, id);
    if (!TAKES_DOCUMENTS.includes(row.status)) throw invalidState(row);
    await this.options.documents.add({ porting_request_id: id }, kind, file);
    return this.present(row);
  }

  /**
   * @throws HatifError PORTING_NOT_FOUND, NOT_FOUND, PORTING_INVALID_STATE if it was already submitted; StorageError
   */
  async removeDocument(of: ProjectKind, id: string, documentId: string): Promise<void> {
    const row = await this.#row(of, id);
    const document = (await this.#documents(row)).find((one) => one.id === documentId);
    if (!document) {
      throw new HatifError('NOT_FOUND', {
        what: { en: `the document ${documentId}`, ar: arabic`الوثيقة ${documentId}` },
      });
    }
    if (row.status !== 'draft') throw invalidState(row);
    await this.options.documents.remove(document);
  }

  /**
   * Submits the request to the operator. This reserves the numbers for the project, although calls do not arrive on
   * them until porting is complete. In the sandbox, porting completes at once.
   * @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE, VALIDATION_ERROR without an authorization,
   * NUMBER_ALREADY_ASSIGNED, NUMBER_NOT_AVAILABLE for numbers that another customer of this installation has
   */
  async submit(of: ProjectKind, id: string): Promise<PortingObject> {
    const row = await this.#row(of, id);
    if (row.status === 'draft' && !(await this.#documents(row)).some(({ kind }) => kind === 'authorization')) {
      throw invalidField('documents', {
        en: 'must include an authorization signed by the owner of the numbers',
        ar: 'يجب أن تتضمن تفويضًا موقّعًا من مالك الأرقام',
      });
    }
    const { steps } = this.options;
    const submitted = await steps.submit(row);
    return this.present(row.sandbox ? await this.#completeAtOnce(submitted) : submitted);
  }

  /** @throws HatifError PORTING_NOT_FOUND, PORTING_INVALID_STATE if it has ended */
  async cancel(of: ProjectKind, id: string): Promise<PortingObject> {
    const row = await this.#row(of, id);
    return this.present(await this.options.steps.end(row, 'cancelled', 'customer', null));
  }

  /** Takes the operator's steps. */
  async #completeAtOnce(row: PortingRequestRow): Promise<PortingRequestRow> {
    const { steps, clock } = this.options;
    return steps.complete(await steps.schedule(await steps.review(row), clock.now()));
  }

  async present(row: PortingRequestRow): Promise<PortingObject> {
    return presentPorting(row, await this.#documents(row));
  }

  #documents({ id }: PortingRequestRow): Promise<NumberDocumentRow[]> {
    return this.options.documents.of({ porting_request_id: id });
  }

  async #row(of: ProjectKind, id: string): Promise<PortingRequestRow> {
    const row = await this.options.porting.get(of, id);
    if (!row) throw new HatifError('PORTING_NOT_FOUND', { id });
    return row;
  }
}

/** The error for an operation that the request's status does not allow. */
export function invalidState({ status }: Pick<PortingRequestRow, 'status'>): HatifError {
  return new HatifError('PORTING_INVALID_STATE', { status });
}

function checkNumbers(numbers: readonly string[]): void {
  numbers.forEach((number, index) => {
    if (parseNumber(number, { allowForeign: true })?.kind === 'emergency') {
      throw new HatifError('INVALID_PHONE_NUMBER', { field: `numbers[${index}]` });
    }
    if (numbers.indexOf(number) !== index) {
      throw invalidField(`numbers[${index}]`, { en: 'appears twice', ar: 'مذكور مرتين' });
    }
  });
}

export function presentPorting(row: PortingRequestRow, documents: readonly NumberDocumentRow[]): PortingObject {
  const time = (at: Date | null): string | null => at?.toISOString() ?? null;
  return {
    id: row.id,
    status: row.status,
    numbers: row.numbers,
    carrier: row.carrier,
    account_name: row.account_name,
    account_number: row.account_number,
    notes: row.notes,
    wanted_at: time(row.wanted_at),
    scheduled_at: time(row.scheduled_at),
    reason: row.reason,
    documents: documents.map(presentDocument),
    created_at: row.created_at.toISOString(),
    submitted_at: time(row.submitted_at),
    ended_at: time(row.ended_at),
  };
}
