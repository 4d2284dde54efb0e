import type {
  BrandRow,
  NumberChangeRow,
  NumberDocumentRow,
  NumberRow,
  OwnNumberClaimRow,
  PortingChangeRow,
  PortingRequestRow,
  SipTargetRow,
} from '../../core/data/rows.js';
import { formatSipUri } from '../../core/model/sip-uri.js';
import { reader, toWire, type Wire } from '../../core/model/wire.js';
import type { Binding } from '../../core/services/numbers/numbers.js';
import type { ImportOutcome } from '../../core/services/numbers/import.js';
import type { PortingCase } from '../../core/services/number-administration/number-administration.js';
import { ApiRefusal } from '../common/failure.js';
import type { NumberReviews, Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';
import { rangesOf } from './ranges.js';
import { readAgent, type ListedAgent } from './agents.js';
import { Readable } from 'node:stream';

const readNumber = reader<NumberRow>({ due_at: true, assigned_at: true, created_at: true });
const readChange = reader<NumberChangeRow>({ at: true });
const readTarget = reader<SipTargetRow>({ created_at: true });
const readBrand = reader<BrandRow>({ created_at: true, submitted_at: true, decided_at: true, deleted_at: true });
const readClaim = reader<OwnNumberClaimRow>({ expires_at: true, created_at: true, decided_at: true });
const readRequest = reader<PortingRequestRow>({
  ...{ wanted_at: true, scheduled_at: true, created_at: true, submitted_at: true, ended_at: true },
});
const readStep = reader<PortingChangeRow>({ at: true });
const readDocument = reader<NumberDocumentRow>({ created_at: true });

/** The most entries that a review lists. */
const LISTED = 200;

/** Numbers, their destinations, and what may be removed. */
export function remoteNumbers(
  client: AdminClient,
): Pick<Platform, 'numbers' | 'numbering' | 'voicemailPins' | 'removal' | 'sipTargets'> {
  const numbersOf = (projectId: string): string => `/projects/${segment(projectId)}/numbers`;
  return {
    numbers: {
      add: async ({ id }, number, binding) => readNumber(await client.send('POST', numbersOf(id), { number, binding })),
      list: async (projectId) => (await client.all<Wire<NumberRow>>(numbersOf(projectId))).map(readNumber),
      bind: async (projectId, number, binding) =>
        readNumber(await client.send('PUT', `${numbersOf(projectId)}/${segment(number)}/binding`, { binding })),
      setDefaultDestination: async (projectId, destination) => {
        const path = `/projects/${segment(projectId)}/default-destination`;
        return (await client.send<{ default_destination: Binding | null }>('PUT', path, { destination }))
          .default_destination;
      },
    },
    numbering: {
      administration: remoteReviews(client),
      imports: {
        run: async (numbers, dryRun, onProgress) => {
          const body = { numbers: rangesOf(numbers.map(({ e164 }) => e164)), dry_run: dryRun };
          const outcome = await client.send<ImportOutcome>('POST', '/numbers/import', body);
          onProgress(numbers.length);
          return outcome;
        },
      },
    },
    voicemailPins: {
      set: async (projectId, number, pin) => {
        await client.send('PUT', `/projects/${segment(projectId)}/voicemail-pins/${segment(number)}`, { pin });
      },
    },
    removal: {
      agent: async (projectId, agent) =>
        readAgent(await client.send<ListedAgent>('DELETE', `/projects/${segment(projectId)}/agents/${segment(agent)}`)),
      number: async (projectId, number) =>
        readNumber(await client.send('DELETE', `${numbersOf(projectId)}/${segment(number)}`)),
      trunk: async (name) => {
        const { data } = await client.get<{ data: readonly { name: string; is_default: boolean }[] }>('/trunks');
        const trunk = data.find((other) => other.name === name);
        if (!trunk) return null;
        await client.send('DELETE', `/trunks/${segment(name)}`);
        return { name, wasDefault: trunk.is_default };
      },
    },
    sipTargets: {
      add: async (host) => readTarget(await client.send('POST', '/sip-targets', { host })),
      list: async () => (await client.get<{ data: Wire<SipTargetRow>[] }>('/sip-targets')).data.map(readTarget),
      remove: (host) => found(client.send('DELETE', `/sip-targets/${segment(host)}`)),
      allows: async (uri) =>
        (await client.get<{ allowed: boolean }>('/sip-targets/check', { address: formatSipUri(uri) })).allowed,
    },
  };
}

/** Whether there was something to change. */
export async function found(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

/** A document as the API shows it. */
type ListedDocument = Omit<Wire<NumberDocumentRow>, 'porting_request_id' | 'claim_id' | 'production_request_id'>;

type ListedRequest = Omit<Wire<PortingRequestRow>, 'sandbox'>;

interface WholeRequest extends ListedRequest {
  readonly documents: readonly ListedDocument[];
  readonly history: readonly Omit<Wire<PortingChangeRow>, 'porting_request_id'>[];
}

type ListedClaim = Omit<Wire<OwnNumberClaimRow>, 'sandbox'>;

function remoteReviews(client: AdminClient): NumberReviews {
  const portingPath = (id: string): string => `/porting-requests/${segment(id)}`;
  const claimPath = (id: string): string => `/own-numbers/${segment(id)}`;
  const documents = (of: Partial<NumberDocumentRow>, listed: readonly ListedDocument[]): NumberDocumentRow[] =>
    listed.map((document) =>
      readDocument({
        ...document,
        porting_request_id: null,
        claim_id: null,
        production_request_id: null,
        ...toWire(of),
      }),
    );
  // What belongs to a sandbox is reviewed by nobody.
  const claimFrom = (claim: ListedClaim): OwnNumberClaimRow => readClaim({ ...claim, sandbox: false });
  const requestFrom = ({ documents: _, history: _steps, ...request }: ListedRequest & Partial<WholeRequest>) =>
    readRequest({ ...request, sandbox: false });
  const caseFrom = (whole: WholeRequest): PortingCase => ({
    request: requestFrom(whole),
    documents: documents({ porting_request_id: whole.id }, whole.documents),
    history: whole.history.map((step) => readStep({ ...step, porting_request_id: whole.id })),
  });
  const step = async (id: string, name: string, body = {}): Promise<PortingRequestRow> =>
    requestFrom(await client.send<WholeRequest>('POST', `${portingPath(id)}/${name}`, body));
  return {
    portings: async (status) =>
      (await client.upTo<ListedRequest>('/porting-requests', LISTED, { status })).map(requestFrom),
    porting: async (id) => caseFrom(await client.get<WholeRequest>(portingPath(id))),
    review: (id) => step(id, 'review'),
    schedule: (id, at) => step(id, 'schedule', { at: toWire(at) }),
    complete: (id) => step(id, 'complete'),
    reject: (id, reason) => step(id, 'reject', { reason }),
    claims: async (status) => (await client.upTo<ListedClaim>('/own-numbers', LISTED, { status })).map(claimFrom),
    claim: async (id) => {
      const { documents: listed, ...claim } = await client.get<ListedClaim & { documents: ListedDocument[] }>(
        claimPath(id),
      );
      return { claim: claimFrom(claim), documents: documents({ claim_id: claim.id }, listed) };
    },
    approveClaim: async (id) => claimFrom(await client.send('POST', `${claimPath(id)}/approve`)),
    rejectClaim: async (id, reason) => claimFrom(await client.send('POST', `${claimPath(id)}/reject`, { reason })),
    history: async (e164) => {
      const path = `/numbers/${segment(e164)}/history`;
      return (await client.get<{ data: Wire<NumberChangeRow>[] }>(path)).data.map(readChange);
    },
    read: async ({ id, porting_request_id: requestId, claim_id: claimId }) => {
      const of = requestId === null ? claimPath(claimId ?? '') : portingPath(requestId);
      return Readable.from([await client.bytes(`${of}/documents/${segment(id)}`)]);
    },
  };
}

/** Brand names. */
export function remoteBrands(client: AdminClient): Platform['brands'] {
  type Listed = Omit<Wire<BrandRow>, 'deleted_at'>;
  const brandFrom = (brand: Listed): BrandRow => readBrand({ ...brand, deleted_at: null });
  const brandPath = (id: string): string => `/brands/${segment(id)}`;
  return {
    waiting: async () => {
      const brands = (await client.all<Listed>('/brands', { status: 'pending' })).map(brandFrom);
      const since = ({ submitted_at: at }: BrandRow): number => at?.getTime() ?? 0;
      return brands.sort((one, other) => since(one) - since(other) || one.id.localeCompare(other.id));
    },
    approve: async (id) => brandFrom(await client.send('POST', `${brandPath(id)}/approve`)),
    reject: async (id, reason) => brandFrom(await client.send('POST', `${brandPath(id)}/reject`, { reason })),
  };
}
