import type { OrganizationRow, ProjectRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { DEFAULT_DESTINATION_CLASSES } from '../../model/number/destination-class.js';
import { DEFAULT_MAX_CALLS } from '../dialling/project-limits.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { KeyService } from '../access/keys.js';
import type { AgentService } from '../agents/agents.js';
import type { NumberService } from '../numbers/numbers.js';
import { newSigningSecret } from '../webhooks/secret.js';

export interface AccountStore {
  createOrganization(row: OrganizationRow): Promise<void>;
  createProject(row: ProjectRow): Promise<void>;
}

export interface DemoOptions {
  readonly accounts: AccountStore;
  readonly keys: KeyService;
  readonly agents: AgentService;
  readonly numbers: NumberService;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

/** What a newcomer needs to know about the demo organization. The secrets are returned only here. */
export interface Demo {
  readonly sandboxKey: string;
  readonly liveKey: string;
  readonly lineNumber: string;
  readonly agents: readonly { readonly agent: string; readonly password: string; readonly number: string }[];
}

/** Riyadh numbers from a block that is not assigned, so that a mistake rings nobody. */
const LINE_NUMBER = '+966115550100';
const AGENTS = [
  { agent: '1001', name: 'Demo agent 1001', number: '+966115550101' },
  { agent: '1002', name: 'Demo agent 1002', number: '+966115550102' },
] as const;

/**
 * Creates the organization that a fresh installation starts with: a project with a sandbox and a production key, two
 * softphones with numbers that ring them, and a number that reaches the echo service.
 */
export async function createDemo(options: DemoOptions): Promise<Demo> {
  const { accounts, keys, agents, numbers, cipher, clock } = options;
  const created_at = clock.now();
  const organization: OrganizationRow = {
    id: newId(),
    name: 'Demo',
    account_kind: 'production',
    flags: {},
    created_at,
  };
  const project: ProjectRow = {
    id: newId(),
    organization_id: organization.id,
    name: 'demo',
    main_number: null,
    default_destination: { type: 'agent', target: AGENTS[0].agent },
    signing_secret: cipher.seal(newSigningSecret()),
    recording_retention_days: null,
    recording_announcement: 'off',
    destination_classes: DEFAULT_DESTINATION_CLASSES,
    max_calls: DEFAULT_MAX_CALLS,
    created_at,
  };
  await accounts.createOrganization(organization);
  await accounts.createProject(project);
  await numbers.add(project, LINE_NUMBER, { type: 'echo', target: null });
  const added = [];
  for (const { agent, name, number } of AGENTS) {
    const { sipPassword } = await agents.add(project, agent, name);
    await numbers.add(project, number, { type: 'agent', target: agent });
    added.push({ agent, password: sipPassword, number });
  }
  const sandbox = await keys.create({ projectId: project.id, name: 'demo sandbox', kind: 'sandbox' });
  const live = await keys.create({ projectId: project.id, name: 'demo live', kind: 'live' });
  return { sandboxKey: sandbox.key, liveKey: live.key, lineNumber: LINE_NUMBER, agents: added };
}
