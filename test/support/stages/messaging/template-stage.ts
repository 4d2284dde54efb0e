import { expect } from 'chai';
import { templateRoutes } from '../../../../api/routes/messaging/templates.js';
import { MessageTemplates } from '../../../../core/data/repositories/messaging/templates.js';
import type { Channel } from '../../../../core/model/messaging/channels.js';
import { FLAG_DEFAULTS } from '../../../../core/model/flags.js';
import { newId } from '../../../../core/model/ids.js';
import type { TemplateProvider } from '../../../../core/ports/messaging/template-provider.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { ApproveTemplates } from '../../../../core/services/messaging/reviewing/approve-templates.js';
import { ChannelAccess } from '../../../../core/services/messaging/channel-access.js';
import { TemplateService } from '../../../../core/services/messaging/templates.js';
import { testApi, type Owner, type TestApi } from '../../api.js';
import type { TestDatabase } from '../../platform/database.js';
import { ApiStage } from './api-stage.js';

/** A provider that takes every template and decides nothing. */
const UNREVIEWED: TemplateProvider = {
  create: (_project, { category }) =>
    Promise.resolve({ providerId: newId(), status: 'pending', category, reason: null }),
  replace: (_project, providerId, { category }) =>
    Promise.resolve({ providerId, status: 'pending', category, reason: null }),
  read: () => Promise.resolve(null),
  remove: () => Promise.resolve(),
};

/** The keys of a project. */
export interface Tenant extends Owner {
  readonly live: string;
  readonly sandbox: string;
}

/** The routes of message templates on a real port and database. */
export class TemplateStage extends ApiStage {
  private constructor(
    readonly database: TestDatabase,
    readonly api: TestApi,
    readonly approval: ApproveTemplates,
    /** Channels for which projects have a provider. */
    readonly configured: Set<Channel>,
  ) {
    super();
  }

  static async start(database: TestDatabase): Promise<TemplateStage> {
    const templates = new MessageTemplates(database.db);
    const configured = new Set<Channel>();
    const access = new ChannelAccess({
      flags: FLAG_DEFAULTS,
      isConfigured: (channel) => Promise.resolve(configured.has(channel)),
    });
    const onLanes = (): void => undefined;
    const service = new TemplateService({ templates, access, provider: UNREVIEWED, clock: systemClock, wake: onLanes });
    const api = await testApi({
      db: database.db,
      routes: templateRoutes({ templates: service }),
      limits: { sandboxPerMinute: 100_000 },
    });
    const approval = new ApproveTemplates({ templates, clock: systemClock, onLanes });
    return new TemplateStage(database, api, approval, configured);
  }

  async tenant(flags: Readonly<Record<string, boolean>> = {}): Promise<Tenant> {
    const owner = await this.api.owner(flags);
    const { projectId } = owner;
    return {
      ...owner,
      live: (await this.api.key({ projectId })).key,
      sandbox: (await this.api.key({ projectId, kind: 'sandbox' })).key,
    };
  }

  /** The data of the project's events of a type, oldest first. */
  async events(projectId: string, type: string): Promise<Record<string, unknown>[]> {
    const rows = await this.database.db.query<{ data: Record<string, unknown> }>(
      'SELECT data FROM events WHERE project_id = $1 AND type = $2 ORDER BY id',
      [projectId, type],
    );
    return rows.map(({ data }) => data);
  }

  async close(): Promise<void> {
    await this.api.close();
    expect(this.api.faults).to.deep.equal([]);
  }
}
