import type {
  AllowedCallerRow,
  BlockedCallerRow,
  CallerEntryRow,
  FraudBlockRow,
  HighRiskPrefixRow,
} from '../../core/data/rows.js';
import {
  fraudDefaultsOf,
  type FraudDefaults,
  type FraudLimits,
  type ProjectFraudLimits,
} from '../../core/model/fraud/limits.js';
import { atMostOf, type FraudBlockObject } from '../../core/model/objects/fraud-block.js';
import { inSar, reader, type Wire } from '../../core/model/wire.js';
import type { AnswerInForce } from '../../core/services/blocked-callers/answers.js';
import type { Platform } from '../common/platform.js';
import { limitsFrom, type LimitsInSar } from './agents.js';
import { segment, type AdminClient } from './client.js';

const readBlocked = reader<BlockedCallerRow>({ created_at: true, last_refused_at: true });
const readAllowed = reader<AllowedCallerRow>({ created_at: true });
const readBlock = reader<FraudBlockRow>({ blocked_at: true, released_at: true, calls_ended_at: true });
const readPrefix = reader<HighRiskPrefixRow>({ created_at: true });

/** A block as the API shows it. */
type ListedBlock = FraudBlockObject &
  Pick<FraudBlockRow, 'organization_id' | 'project_id' | 'released_by_key'> & {
    readonly calls_ended_at: string | null;
  };

/** Who may not call, who may not dial, and what they may dial. */
export function remoteGuards(
  client: AdminClient,
): Pick<
  Platform,
  'blockedCallers' | 'allowedCallers' | 'blockedCallerAnswers' | 'fraud' | 'fraudDefaults' | 'highRiskPrefixes'
> {
  return {
    blockedCallers: remoteCallers(client, '/blocked-callers', readBlocked),
    allowedCallers: remoteCallers(client, '/allowed-callers', readAllowed),
    blockedCallerAnswers: {
      read: async (project_id) => answerIn(await client.get<ListedAnswer>('/blocked-caller-answer', { project_id })),
      set: async (project_id, answer) =>
        answerIn(await client.send<ListedAnswer>('PUT', '/blocked-caller-answer', { project_id, answer })),
    },
    fraud: remoteFraud(client),
    fraudDefaults: remoteDefaults(client),
    highRiskPrefixes: {
      list: async () =>
        (await client.get<{ data: Wire<HighRiskPrefixRow>[] }>('/high-risk-prefixes')).data.map(readPrefix),
      add: async (prefix, note) =>
        readPrefix(await client.send<Wire<HighRiskPrefixRow>>('POST', '/high-risk-prefixes', { prefix, note })),
      remove: async (prefix) => {
        await client.send('DELETE', `/high-risk-prefixes/${segment(prefix)}`);
      },
    },
  };
}

interface ListedAnswer {
  readonly answer: AnswerInForce['own'];
  readonly effective: AnswerInForce['effective'];
}

function answerIn({ answer, effective }: ListedAnswer): AnswerInForce {
  return { own: answer, effective };
}

function remoteCallers<Row extends CallerEntryRow>(
  client: AdminClient,
  path: string,
  read: (json: Wire<Row>) => Row,
): Pick<Platform['blockedCallers'], 'remove'> & {
  add(...args: Parameters<Platform['blockedCallers']['add']>): Promise<{ row: Row; isNew: boolean }>;
  all(...args: Parameters<Platform['blockedCallers']['all']>): Promise<Row[]>;
} {
  return {
    add: async ({ projectId: project_id, agent = null }, entry, note) => {
      const { added, ...row } = await client.send<Wire<Row> & { readonly added: boolean }>('POST', path, {
        ...{ project_id, agent, note },
        ...entry,
      });
      return { row: read(row as unknown as Wire<Row>), isNew: added };
    },
    all: async ({ projectId: project_id, agent }) =>
      (await client.all<Wire<Row>>(path, { project_id, agent })).map(read),
    remove: async ({ projectId, agent = null }, id) => {
      const of = [
        ...(projectId === null ? [] : [`project_id=${segment(projectId)}`]),
        ...(agent === null ? [] : [`agent=${segment(agent)}`]),
      ];
      await client.send('DELETE', `${path}/${segment(id)}${of.length === 0 ? '' : `?${of.join('&')}`}`);
    },
  };
}

interface ListedDefaults {
  readonly project: LimitsInSar;
  readonly agents: LimitsInSar;
  readonly ends_calls: boolean | null;
}

function remoteDefaults(client: AdminClient): Platform['fraudDefaults'] {
  const path = (organizationId: string | null): string =>
    organizationId === null ? '/fraud-defaults' : `/organizations/${segment(organizationId)}/fraud-defaults`;
  const own = async (organizationId: string | null): Promise<FraudDefaults> => {
    const { project, agents, ends_calls } = await client.get<ListedDefaults>(path(organizationId));
    return { limits: { project: limitsFrom(project), agents: limitsFrom(agents) }, ends_calls };
  };
  return {
    own,
    inForce: async (organizationId) =>
      organizationId === null ? own(null) : fraudDefaultsOf(await own(organizationId), await own(null)),
    set: async (organizationId, { limits: { project, agents }, ends_calls }) => {
      await client.send('PUT', path(organizationId), {
        ...{ project: written(project), agents: written(agents), ends_calls },
      });
    },
  };
}

function written(limits: FraudLimits): LimitsInSar {
  return inSar<FraudLimits, 'spend_per_hour'>(limits, 'spend_per_hour');
}

interface LimitsOfProject {
  readonly project: LimitsInSar;
  readonly agents: LimitsInSar;
  readonly overrides: readonly { readonly agent: string; readonly limits: LimitsInSar }[];
}

function remoteFraud(client: AdminClient): Platform['fraud'] {
  const limitsPath = (projectId: string): string => `/projects/${segment(projectId)}/fraud-limits`;
  const agentPath = (projectId: string, agent: string): string => `${limitsPath(projectId)}/${segment(agent)}`;
  const limitsOf = (projectId: string): Promise<LimitsOfProject> => client.get<LimitsOfProject>(limitsPath(projectId));
  const blockFrom = ({ limit, reason: _, reason_ar: _arabic, ...block }: ListedBlock): FraudBlockRow =>
    readBlock({ ...block, at_most: atMostOf(block.rule, limit) });
  return {
    read: async (projectId): Promise<ProjectFraudLimits> => {
      const { project, agents } = await limitsOf(projectId);
      return { project: limitsFrom(project), agents: limitsFrom(agents) };
    },
    overrides: async (projectId) =>
      (await limitsOf(projectId)).overrides.map(({ agent, limits }) => ({ agent, fraud_limits: limitsFrom(limits) })),
    ofAgent: async (projectId, agent) => {
      const { own, effective } = await client.get<{ own: LimitsInSar; effective: LimitsInSar }>(
        agentPath(projectId, agent),
      );
      return { own: limitsFrom(own), effective: limitsFrom(effective) };
    },
    set: async (projectId, { project, agents }) => {
      await client.send('PUT', limitsPath(projectId), { project: written(project), agents: written(agents) });
    },
    setOfAgent: async (projectId, agent, limits) => {
      await client.send('PUT', agentPath(projectId, agent), written(limits));
    },
    blocks: async (projectId, inForce, _before, limit) => {
      const path = `/projects/${segment(projectId)}/fraud-blocks`;
      return (await client.upTo<ListedBlock>(path, limit, { in_force: inForce })).map(blockFrom);
    },
    release: async (projectId, id) =>
      blockFrom(await client.send('POST', `/projects/${segment(projectId)}/fraud-blocks/${segment(id)}/release`)),
  };
}
