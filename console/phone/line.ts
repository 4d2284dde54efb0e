import { Device } from '../../packages/web/src/index.js';
import { newId } from '../shared/ids.js';
import { Refused, type Api } from './common/api.js';

const KEY = 'hatif.phone';
/** A page that is closed without signing out leaves its session behind for this time at most. */
const TTL_SECONDS = 3_600;
/** Distinguishes the sessions of this page. */
const PAGE = { page: 'phone' };

interface Kept {
  readonly userId: string;
  readonly sessionId: string;
  /** Random; it distinguishes the calls of this tab. */
  readonly tab: string;
}

interface WebSession {
  readonly session_id: string;
  readonly token: string;
  readonly sandbox: boolean;
}

/** The agent's telephone: a session of web calling, and the device that uses it. */
export class AgentLine {
  private constructor(
    private readonly api: Api,
    readonly device: Device,
    private readonly sessionId: string,
    /** The mark of the calls that this tab begins, in their metadata. */
    readonly tab: string,
    /** No phone rings there. */
    readonly isSandbox: boolean,
  ) {
    device.on('tokenWillExpire', () => void this.#refresh());
  }

  /** A page that is loaded again continues its session. @throws Refused */
  static async open(api: Api, userId: string, agent: string): Promise<AgentLine> {
    const kept = read();
    if (kept?.userId === userId && Device.canResume()) {
      return new AgentLine(api, new Device(null), kept.sessionId, kept.tab, false);
    }
    const tab = newId();
    const session = await newSession(api, agent, tab);
    sessionStorage.setItem(KEY, JSON.stringify({ userId, sessionId: session.session_id, tab } satisfies Kept));
    return new AgentLine(api, new Device(session.token), session.session_id, tab, session.sandbox);
  }

  /** Whether this tab has an agent's session. */
  static isKept(): boolean {
    return read() !== null;
  }

  /** Ends the session: nobody can use it any more. */
  async close(): Promise<void> {
    this.device.destroy();
    sessionStorage.removeItem(KEY);
    await this.api.ask('DELETE', `/web-calling/sessions/${this.sessionId}`).catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    const path = `/web-calling/sessions/${this.sessionId}/refresh`;
    // Without it, the session ends at its time; calls that are on continue.
    const session = await this.api.ask<WebSession>('POST', path, {}).catch(() => null);
    if (session !== null) await this.device.updateToken(session.token).catch(() => undefined);
  }
}

/** If too many are open, the oldest of this page goes: a tab that was closed, usually. @throws Refused */
async function newSession(api: Api, agent: string, tab: string): Promise<WebSession> {
  const make = (): Promise<WebSession> =>
    api.ask('POST', '/web-calling/sessions', {
      identity: agent,
      agent,
      allow: { incoming: true, outgoing: ['number', 'agent', 'queue'] },
      ttl_seconds: TTL_SECONDS,
      metadata: { ...PAGE, tab },
    });
  return make().catch(async (error: unknown) => {
    if (!(error instanceof Refused && error.code === 'WEBRTC_CONCURRENCY_LIMIT')) throw error;
    const path = `/web-calling/sessions?identity=${encodeURIComponent(agent)}&limit=100`;
    const { data } = await api.ask<{ data: OpenSession[] }>('GET', path);
    const oldest = data.filter(({ status, metadata }) => isOpen(status) && metadata.page === PAGE.page).at(-1);
    if (oldest) await api.ask('DELETE', `/web-calling/sessions/${oldest.session_id}`);
    return make();
  });
}

interface OpenSession {
  readonly session_id: string;
  readonly status: string;
  readonly metadata: { readonly page?: string };
}

function isOpen(status: string): boolean {
  return status === 'active' || status === 'pending';
}

function read(): Kept | null {
  const text = sessionStorage.getItem(KEY);
  return text === null ? null : (JSON.parse(text) as Kept);
}
