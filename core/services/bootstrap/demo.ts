import type { OrganizationRow, ProjectRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { NEW_ORGANIZATION_FLAGS } from '../../model/flags.js';
import { DEMO_AGENT_LINES, DEMO_LINE } from '../../model/number/demo.js';
import type { Clock } from '../../ports/clock.js';
import type { KeyService } from '../access/keys.js';
import { newOrganizationRow, newProjectRow } from '../accounts/new-account.js';
import type { AgentService } from '../agents/agents.js';
import type { DemoNumbers } from '../numbers/demo-numbers.js';
import type { NumberService } from '../numbers/numbers.js';

export interface AccountStore {
  createOrganization(row: OrganizationRow): Promise<void>;
  createProject(row: ProjectRow): Promise<void>;
}

export interface DemoOptions {
  readonly accounts: AccountStore;
  readonly keys: KeyService;
  readonly agents: AgentService;
  readonly numbers: NumberService;
  readonly numbering: { readonly demo: Pick<DemoNumbers, 'offer'> };
  /** Features that the organization has or lacks of its own; by default those of every new one. */
  readonly flags?: OrganizationRow['flags'];
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

const AGENTS = [
  { agent: '1001', name: 'Demo agent 1001', number: DEMO_AGENT_LINES[0] },
  { agent: '1002', name: 'Demo agent 1002', number: DEMO_AGENT_LINES[1] },
] as const;

/**
 * Creates the organization that a fresh installation starts with: a project with a sandbox and a production key, two
 * softphones with numbers that ring them, and a number that reaches the echo service. More numbers can be ordered,
 * unless the operator has numbers.
 */
export async function createDemo(options: DemoOptions): Promise<Demo> {
  const { accounts, keys, agents, numbers, numbering, flags = NEW_ORGANIZATION_FLAGS, cipher, clock } = options;
  const created_at = clock.now();
  const organization = newOrganizationRow('Demo', 'production', flags, created_at);
  const project: ProjectRow = {
    ...newProjectRow(organization.id, 'demo', cipher, created_at),
    default_destination: { type: 'agent', target: AGENTS[0].agent },
  };
  await accounts.createOrganization(organization);
  await accounts.createProject(project);
  await numbers.add(project, DEMO_LINE, { type: 'echo', target: null }, 'demo');
  const added = [];
  for (const { agent, name, number } of AGENTS) {
    const { sipPassword } = await agents.add(project, agent, name);
    await numbers.add(project, number, { type: 'agent', target: agent }, 'demo');
    added.push({ agent, password: sipPassword, number });
  }
  await numbering.demo.offer();
  const sandbox = await keys.create({ projectId: project.id, name: 'demo sandbox', kind: 'sandbox' });
  const live = await keys.create({ projectId: project.id, name: 'demo live', kind: 'live' });
  return { sandboxKey: sandbox.key, liveKey: live.key, lineNumber: DEMO_LINE, agents: added };
}
