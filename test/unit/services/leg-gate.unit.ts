import { expect } from 'chai';
import type { NumberRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { NO_FRAUD_DEFAULTS } from '../../../core/model/fraud/limits.js';
import type { DestinationClass } from '../../../core/model/number/destination-class.js';
import type { DialledLeg } from '../../../core/services/dialling/dialled-leg.js';
import { LegGate, type LegGateOptions } from '../../../core/services/dialling/leg-gate.js';

const LEG: DialledLeg = {
  organizationId: 'ours',
  projectId: 'project',
  sandbox: false,
  kind: 'outbound',
  to: { type: 'number', target: '+966501234567' },
  field: 'to',
  route: null,
  dialler: null,
  agent: null,
  legId: null,
  isCounted: true,
  callId: null,
  others: null,
};

describe('the gate of dialled legs', () => {
  const directory = (changes: Partial<LegGateOptions['directory']> = {}): LegGateOptions['directory'] => ({
    numberByE164: () => Promise.resolve(null),
    carriesForeign: () => Promise.resolve(true),
    project: () =>
      Promise.resolve({ destination_classes: ['national', 'mobile', 'foreign'], max_calls: 1, fraud_limits: null }),
    agentByExtension: () => Promise.resolve(null),
    fraudDefaults: () => Promise.resolve(NO_FRAUD_DEFAULTS),
    highRiskPrefixes: () => Promise.resolve([]),
    ...changes,
  });
  async function admitted(options: Partial<LegGateOptions['directory']>, leg: Partial<DialledLeg>): Promise<string> {
    const gate = new LegGate({ directory: directory(options), liveCalls: () => Promise.resolve(0) });
    return gate.admit({ ...LEG, ...leg }).then(
      () => 'admitted',
      (error: unknown) => {
        if (error instanceof HatifError) return String(error.code);
        throw error;
      },
    );
  }

  it('refuses foreign numbers that the trunk does not carry', async () => {
    const to = { type: 'number', target: '+442079460000' } as const;
    expect(await admitted({}, { to })).to.equal('admitted');
    const carriesForeign = (): Promise<boolean> => Promise.resolve(false);
    expect(await admitted({ carriesForeign }, { to })).to.equal('INVALID_PHONE_NUMBER');
    expect(await admitted({ carriesForeign }, {})).to.equal('admitted');
  });

  it('refuses a caller id of another organization, and one that is not assigned', async () => {
    const owned = (organization_id: string, state: NumberRow['state'] = 'assigned') => ({
      numberByE164: () => Promise.resolve({ organization_id, state } as NumberRow),
    });
    const leg = { callerIdNumber: '+966112345678' };
    expect(await admitted(owned('ours'), leg)).to.equal('admitted');
    expect(await admitted(owned('theirs'), leg)).to.equal('CLI_NOT_OWNED');
    expect(await admitted(owned('ours', 'porting'), leg)).to.equal('CLI_NOT_OWNED');
    expect(await admitted({}, leg)).to.equal('CLI_NOT_OWNED');
  });

  it('demands the rights of the agent who forwards a call, and forwards none to an emergency number', async () => {
    const agentOf = (may_call_out: boolean) => ({
      agentByExtension: () =>
        Promise.resolve({ may_call_out, destination_classes: ['mobile'] as const, fraud_limits: null }),
      project: () => Promise.resolve({ destination_classes: ['mobile'] as const, max_calls: 1, fraud_limits: null }),
    });
    expect(await admitted(agentOf(true), { forwarder: '1001' })).to.equal('admitted');
    expect(await admitted(agentOf(false), { forwarder: '1001' })).to.equal('INSUFFICIENT_PERMISSIONS');
    expect(await admitted(agentOf(false), {}), 'a leg of the project').to.equal('admitted');
    const to = { type: 'number', target: '911' } as const;
    expect(await admitted(agentOf(true), { to, forwarder: '1001' })).to.equal('INVALID_PHONE_NUMBER');
  });

  it('tells mobile numbers from other national ones, and counts high-risk prefixes as premium', async () => {
    const mayCall = (...destination_classes: DestinationClass[]) => ({
      project: () => Promise.resolve({ destination_classes, max_calls: 1, fraud_limits: null }),
    });
    const fixed = { to: { type: 'number', target: '+966112345678' } } as const;
    expect(await admitted(mayCall('mobile'), {})).to.equal('admitted');
    expect(await admitted(mayCall('mobile'), fixed)).to.equal('INSUFFICIENT_PERMISSIONS');
    expect(await admitted(mayCall('national'), fixed)).to.equal('admitted');
    expect(await admitted(mayCall('national'), {})).to.equal('INSUFFICIENT_PERMISSIONS');
    const risky = { highRiskPrefixes: () => Promise.resolve(['+96650']) };
    expect(await admitted({ ...mayCall('mobile'), ...risky }, {})).to.equal('INSUFFICIENT_PERMISSIONS');
    expect(await admitted({ ...mayCall('premium'), ...risky }, {})).to.equal('admitted');
    expect(await admitted({ ...mayCall('national'), ...risky }, fixed)).to.equal('admitted');
    const inside = {
      route: { endpoint: { type: 'softphone', aor: 'a' }, number: null, billable: false, agent: 'a' },
    } as const;
    const away = { highRiskPrefixes: () => Promise.reject(new Error('the database is away')) };
    expect(await admitted({ ...mayCall(), ...away }, inside), 'needs no look-up').to.equal('admitted');
  });

  it('lets the sandbox pass, and emergency calls of softphones alone', async () => {
    const nothing = { project: () => Promise.resolve({ destination_classes: [], max_calls: 0, fraud_limits: null }) };
    expect(await admitted(nothing, {})).to.equal('INSUFFICIENT_PERMISSIONS');
    expect(await admitted(nothing, { sandbox: true })).to.equal('admitted');
    const to = { type: 'number', target: '911' } as const;
    expect(await admitted(nothing, { to, dialler: '1001' })).to.equal('admitted');
    expect(await admitted(nothing, { to })).to.equal('INVALID_PHONE_NUMBER');
    expect(await admitted(nothing, { to: { type: 'agent', target: '911' } })).to.equal('CALL_FAILED');
  });
});
