import { randomUUID } from 'node:crypto';
import type { Destination, OrganizationRow, WidgetRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { flagOff } from '../../model/flags.js';
import type { WebOnly } from '../../model/web-calling.js';
import type { Proof, ProofsOfWork } from '../access/proofs-of-work.js';
import type { ManageWebSessions } from '../web-calling/sessions.js';
import type { WidgetAllowance } from './allowance.js';
import type { WidgetContext } from './gate.js';
import { unavailable, type ChatLookup, type Visitor } from './visitor.js';

export interface WidgetBrowserCallsOptions {
  readonly sessions: Pick<ManageWebSessions, 'create'>;
  readonly proofs: Pick<ProofsOfWork, 'spend'>;
  readonly allowance: WidgetAllowance;
  readonly chatOf: ChatLookup;
  /** Whether the organization has web calling. */
  readonly isOn: (organization: OrganizationRow) => boolean;
}

/** What a visitor's page needs to call. */
export interface VisitorCall {
  readonly token: string;
  /** What the page dials, and the only thing that it can. */
  readonly dial: string;
}

/** To connect, and to come back after an interruption; a call that is on may last longer. */
const TTL_SECONDS = 600;

/** Lets visitors of web pages call a widget's destination with the microphone of the browser. */
export class WidgetBrowserCalls {
  constructor(private readonly options: WidgetBrowserCallsOptions) {}

  /** Whether the widget offers it. */
  isOffered(widget: WidgetContext): boolean {
    return this.#offered(widget) !== null;
  }

  /**
   * Creates a session that reaches the widget's destination and nothing else, for pages of the widget's origins.
   * From a chat, it reaches the agent who has the chat.
   * @throws HatifError NOT_FOUND for a chat, WEB_CALLING_DISABLED, CAPTCHA_FAILED, RATE_LIMIT_EXCEEDED, CALL_FAILED
   */
  async begin(
    widget: WidgetContext,
    { captcha, chat: chatToken }: { readonly captcha: Proof | null; readonly chat: string | null },
    visitor: Visitor,
  ): Promise<VisitorCall> {
    const { sessions, proofs, allowance } = this.options;
    const { row } = widget;
    const offered = this.#offered(widget);
    if (offered === null) throw flagOff('web_calling', '');
    const chat = chatToken === null ? null : await this.options.chatOf(widget, chatToken);
    const agent = chat?.agent ?? null;
    const only: WebOnly = agent === null ? offered : { type: 'agent', target: agent };
    if (row.captcha) await proofs.spend(row.id, captcha);
    await allowance.takeBrowser(row, visitor.ip);
    const { token } = await sessions
      .create(ownerOf(row), {
        identity: `visitor-${randomUUID()}`,
        agent: null,
        display_name: row.name,
        rights: {
          ...{ incoming: false, outgoing: [only.type], numbers: [], caller_id_number: null },
          ...{ only, origins: row.allowed_origins },
        },
        ttl_seconds: TTL_SECONDS,
        require_relay: false,
        metadata: { widget: row.name, ...(chat && { thread_id: chat.threadId }) },
      })
      .catch((error: unknown) => {
        // How many sessions the owner has open is none of the visitor's business.
        if (error instanceof HatifError && error.code === 'WEBRTC_CONCURRENCY_LIMIT') throw unavailable(error);
        throw error;
      });
    return { token, dial: `${only.type}.${only.target}` };
  }

  /** What a visitor may call; null: nothing. */
  #offered({ row, project, organization }: WidgetContext): WebOnly | null {
    if (!row.browser_calls || row.sandbox || !this.options.isOn(organization)) return null;
    return onlyTo(row.destination ?? project.default_destination);
  }
}

/** Queues and agents are inside; other destinations would be charged. */
function onlyTo(destination: Destination | null): WebOnly | null {
  const { type, target = null } = destination ?? {};
  return (type === 'queue' || type === 'agent') && target !== null ? { type, target } : null;
}

function ownerOf({ project_id, organization_id, sandbox }: WidgetRow) {
  return { projectId: project_id, organizationId: organization_id, sandbox };
}
