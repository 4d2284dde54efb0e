import { randomInt } from 'node:crypto';
import type { SoftphoneText } from '../../../../core/model/messaging/softphone-text.js';
import { newId } from '../../../../core/model/ids.js';
import type { SoftphoneTexts, TextOutcome } from '../../../../core/ports/messaging/softphone-texts.js';
import { newAgentRow } from '../../../../core/services/agents/new-agent.js';
import type { Stores } from '../../../../main/wiring/stores.js';
import type { Owner } from '../../api.js';
import { TEST_CIPHER } from '../../cipher.js';
import { insertRows } from '../../rows/rows.js';

/** Softphones without phones: they note each text that was sent to them, and nobody is registered at first. */
export class NotedSoftphones implements SoftphoneTexts {
  readonly sent: SoftphoneText[] = [];
  outcome: (text: SoftphoneText) => TextOutcome | Promise<TextOutcome> = () => ({ result: 'not_registered' });

  async send(text: SoftphoneText): Promise<TextOutcome> {
    const outcome = await this.outcome(text);
    if (outcome.result !== 'not_registered' && outcome.result !== 'away') this.sent.push(text);
    return outcome;
  }
}

/** An agent, and the number that rings the agent. */
interface RungAgent {
  readonly agent: string;
  readonly number: string;
}

/** A new agent of the project. Another project's may have the same extension, but not the same softphone. */
export async function rungAgentOf(
  { db, agents }: Pick<Stores, 'db' | 'agents'>,
  { organizationId, projectId }: Pick<Owner, 'organizationId' | 'projectId'>,
  source = 'operator',
): Promise<RungAgent & { readonly aor: string }> {
  const suffix = randomInt(1_000_000, 9_999_999);
  const [agent, number] = [`x${suffix}`, `+96611${suffix}`];
  const owner = { id: projectId, organization_id: organizationId };
  const { row } = newAgentRow(owner, agent, 'Reem', TEST_CIPHER, new Date());
  await agents.create(row);
  await insertRows(db, 'numbers', [
    {
      ...{ id: newId(), organization_id: organizationId, project_id: projectId, sandbox: false, e164: number, source },
      ...{ kind: 'geographic', state: 'assigned', binding: { type: 'agent', target: agent } },
      ...{ assigned_at: new Date(), created_at: new Date() },
    },
  ]);
  return { agent, number, aor: row.aor };
}
