import type { WidgetChanges, Widgets } from '../../data/repositories/accounts/widgets.js';
import type { AgentRow, Destination, QueueRow, WidgetRow, WidgetTheme } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { parseAllowedOrigin } from '../../model/access/origin.js';
import { generateWidgetKey } from '../../model/access/widget-key.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';

/** What an owner says of a widget. */
export interface WidgetSettings {
  readonly name: string;
  /** Origins of web pages, and `https://*.example.com`; none: only the platform's own pages. */
  readonly allowed_origins: readonly string[];
  readonly destination: Destination | null;
  readonly language: 'ar' | 'en';
  readonly otp: boolean;
  readonly captcha: boolean;
  readonly theme: WidgetTheme;
}

export const DEFAULT_THEME: WidgetTheme = { accent: null, scheme: 'auto', position: 'end' };

export interface WidgetOwner {
  readonly projectId: string;
  readonly organizationId: string;
  /** Whether its callbacks are played by the simulator. */
  readonly sandbox: boolean;
}

/** Which of a project's widgets are seen: a sandbox key sees those that sandbox keys made. */
export type WidgetScope = Pick<WidgetOwner, 'projectId'> & { readonly sandboxOnly: boolean };

export interface WidgetServiceOptions {
  readonly widgets: Widgets;
  readonly agents: { findByExtension(projectId: string, agent: string): Promise<AgentRow | null> };
  readonly queues: {
    get(projectId: string, id: string): Promise<QueueRow | null>;
    findByName(projectId: string, name: string): Promise<QueueRow | null>;
  };
  readonly clock: Clock;
}

const MOST_ORIGINS = 50;

const PHRASES = {
  origin: {
    en: 'must be a web origin such as https://www.example.com, or https://*.example.com for all subdomains',
    ar: 'يجب أن يكون أصل موقع مثل `https://www.example.com`، أو `https://*.example.com` لكل النطاقات الفرعية',
  },
  tooMany: { en: `must not be more than ${MOST_ORIGINS}`, ar: arabic`يجب ألا تزيد على ${MOST_ORIGINS}` },
  name: { en: 'must be 1 to 100 characters', ar: 'يجب أن يتكوّن من 1 إلى 100 حرف' },
  agent: { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' },
  queue: { en: 'is not a queue of this project', ar: 'ليس قائمة انتظار في هذا المشروع' },
};

/** The click-to-call widgets of a project. */
export class WidgetService {
  constructor(private readonly options: WidgetServiceOptions) {}

  /** @throws HatifError VALIDATION_ERROR */
  async create(owner: WidgetOwner, settings: WidgetSettings): Promise<WidgetRow> {
    const row: WidgetRow = {
      ...settings,
      ...(await this.#checked(owner.projectId, settings)),
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      key: generateWidgetKey(),
      sandbox: owner.sandbox,
      created_at: this.options.clock.now(),
      revoked_at: null,
    };
    await this.options.widgets.create(row);
    return row;
  }

  /** Revoked ones too, oldest first. */
  async list({ projectId, sandboxOnly }: WidgetScope): Promise<WidgetRow[]> {
    return (await this.options.widgets.list(projectId)).filter(({ sandbox }) => sandbox || !sandboxOnly);
  }

  /** @throws HatifError NOT_FOUND, also for one that is revoked. */
  async get({ projectId, sandboxOnly }: WidgetScope, id: string): Promise<WidgetRow> {
    const row = await this.options.widgets.get(projectId, id);
    if (row && (row.sandbox || !sandboxOnly)) return row;
    throw new HatifError('NOT_FOUND', { what: { en: `the widget ${id}`, ar: arabic`أداة الاتصال ${id}` } });
  }

  /** Pages follow within seconds; those that are open show what they were loaded with. @throws HatifError NOT_FOUND, VALIDATION_ERROR */
  async change(scope: WidgetScope, id: string, changes: Partial<WidgetSettings>): Promise<WidgetRow> {
    const before = await this.get(scope, id);
    const written: WidgetChanges = { ...changes, ...(await this.#checked(scope.projectId, { ...before, ...changes })) };
    await this.options.widgets.change(scope.projectId, id, written);
    return this.get(scope, id);
  }

  /** For good: pages that carry its key can ask for nothing any more, within seconds. @throws HatifError NOT_FOUND */
  async revoke(scope: WidgetScope, id: string): Promise<WidgetRow> {
    const row = await this.get(scope, id);
    const now = this.options.clock.now();
    await this.options.widgets.revoke(scope.projectId, id, now);
    return { ...row, revoked_at: now };
  }

  async #checked(
    projectId: string,
    { name, allowed_origins: origins, destination }: WidgetSettings,
  ): Promise<Pick<WidgetRow, 'name' | 'allowed_origins' | 'destination'>> {
    const trimmed = name.trim();
    if (trimmed.length < 1 || trimmed.length > 100) throw invalidField('name', PHRASES.name);
    if (origins.length > MOST_ORIGINS) throw invalidField('allowed_origins', PHRASES.tooMany);
    const allowed = origins.map((text, index) => {
      const origin = parseAllowedOrigin(text.trim());
      if (origin === null) throw invalidField(`allowed_origins[${index}]`, PHRASES.origin);
      return origin;
    });
    return {
      name: trimmed,
      allowed_origins: [...new Set(allowed)],
      destination: await this.#destination(projectId, destination),
    };
  }

  /** What the destination names is there. A queue can be named by its name, too. */
  async #destination(projectId: string, destination: Destination | null): Promise<Destination | null> {
    const { agents, queues } = this.options;
    const target = destination?.target ?? '';
    if (destination?.type === 'agent' && !(await agents.findByExtension(projectId, target))) {
      throw invalidField('destination.target', PHRASES.agent);
    }
    if (destination?.type !== 'queue') return destination;
    const queue = (await queues.get(projectId, target)) ?? (await queues.findByName(projectId, target));
    if (!queue) throw invalidField('destination.target', PHRASES.queue);
    return { type: 'queue', target: queue.id };
  }
}
