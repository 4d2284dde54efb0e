import { parseSipUri } from '../../core/model/sip-uri.js';
import type { Clock } from '../../core/ports/clock.js';
import { parseNameAddress } from '../message/name-address.js';
import type { HeaderFields, SipRequest, SipSource } from '../message/request.js';
import { registeredFields } from './contact-fields.js';
import type { Location } from './location.js';
import { planRegister, RegisterRefusal, type RegistrarLimits } from './register.js';

/** The limits that Asterisk's endpoints had before the edge. */
const LIMITS: RegistrarLimits = { shortest: 60, longest: 3_600, usual: 300, contacts: 5 };

export interface RegistrarOptions {
  readonly location: Pick<Location, 'change'>;
  /** Whether a proxy at this address may put itself into the way of a phone's calls. */
  readonly mayAddPath: (source: SipSource) => boolean;
  readonly clock: Clock;
}

/** The registrar (RFC 3261 §10.3). */
export class Registrar {
  constructor(private readonly options: RegistrarOptions) {}

  /** @param aor of the authenticated softphone. Rejects if the database is unavailable. */
  async register(request: SipRequest, aor: string): Promise<void> {
    try {
      request.answer(200, { headers: await this.#register(request, aor) });
    } catch (error) {
      if (!(error instanceof RegisterRefusal)) throw error;
      request.answer(error.status, { reason: error.reason, headers: error.headers });
    }
  }

  /** @returns the fields of the response. @throws RegisterRefusal */
  async #register({ headers, source }: SipRequest, aor: string): Promise<HeaderFields> {
    const { location, mayAddPath, clock } = this.options;
    const to = parseSipUri(parseNameAddress(headers.first('to') ?? '')?.uri ?? '');
    // Nobody registers a phone for somebody else.
    if (to?.user !== aor) throw new RegisterRefusal(403, 'Forbidden');
    const unknown = headers.list('require').filter((option) => !EXTENSIONS.has(option.toLowerCase()));
    if (unknown.length > 0) throw new RegisterRefusal(420, 'Bad Extension', { Unsupported: unknown.join(', ') });
    // Otherwise a phone could have the edge send its calls to any host.
    if (headers.first('path') !== null && !mayAddPath(source)) throw new RegisterRefusal(403, 'Path Not Allowed');
    const now = clock.now();
    const rows = await location.change(aor, (known) => planRegister({ aor, source, headers }, known, now, LIMITS));
    return registeredFields(rows, headers, now, to.host);
  }
}

const EXTENSIONS: ReadonlySet<string> = new Set(['path', 'outbound', 'gruu']);
