import type { Queryable } from '../../data/database.js';
import { violatedUnique } from '../../data/errors.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { Organizations } from '../../data/repositories/accounts/organizations.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { Users } from '../../data/repositories/accounts/users.js';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import type { AccountKind, AgentRow, OrganizationRow, ProjectRow, UserRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { PhoneServer } from '../../model/sip-security.js';
import type { Clock } from '../../ports/clock.js';
import { newOrganizationRow, newProjectRow } from '../accounts/new-account.js';
import { newAgentRow, uniqueAor } from '../agents/new-agent.js';
import type { NumberAssigner } from '../numbers/number-assigner.js';
import type { EngineSoftphones } from './softphones.js';
import { addStarter, type Starter } from './starter.js';

export interface ProvisionAccountOptions {
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly users: Users;
  readonly agents: Agents;
  readonly callflows: Callflows;
  readonly assigner: NumberAssigner;
  readonly softphones: EngineSoftphones;
  readonly cipher: Cipher;
  /** Of new organizations. */
  readonly flags: OrganizationRow['flags'];
  /** Where softphones register. */
  readonly sipServer: PhoneServer;
  /** Makes the owners of engines compare them with the tables. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

export interface WantedAccount {
  readonly name: string;
  readonly tier: AccountKind;
  readonly owner: Pick<UserRow, 'email' | 'name' | 'locale' | 'password_hash' | 'email_confirmed_at'>;
}

/** A new organization with what it starts with. */
export interface Account {
  readonly organization: OrganizationRow;
  readonly project: ProjectRow;
  readonly owner: UserRow;
  readonly agent: AgentRow;
  /** Of the agent's softphone; shown once. */
  readonly sipPassword: string;
  readonly sipServer: PhoneServer;
  /** Null in a production organization. */
  readonly starter: Starter | null;
}

/** What the maker of the account adds. */
export interface AccountMaker<T> {
  /** The error for an address that a user has. */
  readonly emailTaken: (cause?: unknown) => HatifError;
  /** Runs in the transaction that makes the account. */
  readonly finish: (tx: Queryable, account: Account) => Promise<T>;
}

const FIRST_PROJECT = 'main';
const FIRST_EXTENSION = '1001';
/** Chance in the SIP user name, so that no engine knows it already. */
const AOR_BYTES = 8;

/**
 * Makes organizations: with a project, an owner and a softphone, and in the sandbox with a call flow and a number. All rows
 * are one transaction. The engines accept the softphone before it: what they have without a row, they remove by
 * themselves.
 */
export class ProvisionAccount {
  constructor(private readonly options: ProvisionAccountOptions) {}

  /** @throws HatifError PBX_PROVISIONING_FAILED, and `emailTaken` */
  async make<T>(
    wanted: WantedAccount,
    { emailTaken, finish }: AccountMaker<T>,
  ): Promise<{ account: Account; made: T }> {
    const { users, softphones, assigner, announce } = this.options;
    if ((await users.findByEmail(wanted.owner.email)) !== null) throw emailTaken();
    const rows = this.#rowsOf(wanted);
    try {
      await softphones.assertAccepted(rows.agent);
      return await assigner.change(async (tx, lanes) => {
        const account = await this.#store(rows, tx, lanes);
        return { account, made: await finish(tx, account) };
      });
    } catch (error) {
      throw violatedUnique(error) === 'users_email' ? emailTaken(error) : error;
    } finally {
      // Engines remove the softphone of an account that failed, and get one back that they removed because they compared
      // themselves with the tables before its row was there. They also do so every few seconds.
      await announce().catch(() => undefined);
    }
  }

  #rowsOf({ name, tier, owner: { email, ...person } }: WantedAccount): Omit<Account, 'starter'> {
    const { cipher, flags, sipServer, clock } = this.options;
    const now = clock.now();
    const organization = { ...newOrganizationRow(name, tier, flags, now), contact_email: email };
    const project: ProjectRow = {
      ...newProjectRow(organization.id, FIRST_PROJECT, cipher, now),
      default_destination: { type: 'agent', target: FIRST_EXTENSION },
    };
    const { row, sipPassword } = newAgentRow(project, FIRST_EXTENSION, FIRST_EXTENSION, cipher, now);
    const agent: AgentRow = {
      ...row,
      aor: uniqueAor(FIRST_EXTENSION, AOR_BYTES),
      // Calls outside cost the operator money, and nobody pays for a sandbox.
      may_call_out: tier === 'production',
    };
    const owner: UserRow = {
      ...{ id: newId(), organization_id: organization.id, email, ...person, role: 'owner', agent: FIRST_EXTENSION },
      ...{ phone: null, phone_confirmed_at: null, project_ids: null },
      ...{ disabled_at: null, last_sign_in_at: null, created_at: now },
    };
    return { organization, project, owner, agent, sipPassword, sipServer };
  }

  async #store(rows: Omit<Account, 'starter'>, tx: Queryable, lanes: string[]): Promise<Account> {
    const { organizations, projects, users, agents } = this.options;
    const { organization, project, owner, agent } = rows;
    await organizations.create(organization, tx);
    await projects.create(project, tx);
    await users.create(owner, tx);
    await agents.create(agent, tx);
    const isSandbox = organization.account_kind === 'sandbox';
    return { ...rows, starter: isSandbox ? await addStarter(this.options, rows, tx, lanes) : null };
  }
}
