import type { WidgetDemo } from '../../api/pages/widget.js';
import { hashKey } from '../../core/model/access/keys.js';
import type { Demo } from '../../core/services/bootstrap/demo.js';
import { DEFAULT_REACH, DEFAULT_THEME } from '../../core/services/widgets/manage.js';
import type { Management } from './management.js';
import type { Stores } from './stores.js';

export interface DemoWidgetOptions {
  readonly stores: Pick<Stores, 'keys'>;
  readonly management: Pick<Management, 'widgets'>;
}

const NAME = 'demo';

/**
 * The demo organization's click-to-call widget, for the platform's own pages. Creates it if there never was one.
 * @returns null if it was revoked
 */
export async function demoWidget({ stores, management }: DemoWidgetOptions, demo: Demo): Promise<WidgetDemo | null> {
  const owner = await stores.keys.findByHash(hashKey(demo.liveKey));
  if (owner === null) return null;
  const { id: projectId, organization_id: organizationId } = owner.project;
  const { widgets } = management;
  const known = (await widgets.list({ projectId, sandboxOnly: false })).find(({ name }) => name === NAME);
  const widget =
    known ??
    (await widgets.create(
      { projectId, organizationId, sandbox: false },
      {
        ...DEFAULT_REACH,
        name: NAME,
        allowed_origins: [],
        destination: null,
        language: 'ar',
        otp: false,
        captcha: true,
        browser_calls: true,
        chat: true,
        theme: DEFAULT_THEME,
      },
    ));
  return widget.revoked_at === null ? { key: widget.key, number: demo.agents[1]?.number ?? null } : null;
}
