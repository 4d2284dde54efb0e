import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';

/** Operations that a sandbox key cannot use, by what they belong to. Every other one serves it with sandbox data. */
const PRODUCTION_ONLY: Readonly<Record<string, readonly string[]>> = {
  calls: ['placeCall'],
  recordings: [
    ...['listCallRecordings', 'getCallRecording', 'deleteCallRecording'],
    ...['startRecording', 'stopRecording', 'pauseRecording', 'resumeRecording'],
    ...['listConferenceRecordings', 'getConferenceRecording', 'deleteConferenceRecording'],
    ...['startConferenceRecording', 'stopConferenceRecording'],
  ],
  transcripts: ['getCallTranscript'],
  monitoring: ['monitorCall', 'stopMonitoring'],
  'management of queues': ['createQueue', 'changeQueue', 'deleteQueue'],
  'management of agents': [
    ...['createAgent', 'changeAgent', 'deleteAgent', 'renewSipPassword', 'changeAgentForwarding'],
    ...['blockCallerForAgent', 'unblockCallerForAgent', 'allowCallerForAgent', 'removeAllowedCallerOfAgent'],
    ...['listBlockedCallersOfAgent', 'listAllowedCallersOfAgent'],
  ],
  'the answer to blocked callers': ['setBlockedCallerAnswer'],
  'login of agents': ['loginAgent', 'logoutAgent', 'pauseAgent', 'unpauseAgent'],
  'allocation of virtual numbers': ['allocateVirtualNumber'],
  'orders of numbers': ['orderNumber'],
  CDR: ['exportCallDetailRecords'],
  'the guard against toll fraud': [
    ...['getFraudLimits', 'setFraudLimits', 'getAgentFraudLimits', 'setAgentFraudLimits'],
    ...['listFraudBlocks', 'releaseFraudBlock'],
  ],
  'writes of money': ['setSpendCaps', 'allocateBalance', 'addUsageEvent', 'createPayment', 'cancelPayment'],
};

describe('the operations for production keys only', function () {
  this.timeout(120_000);
  let bare: BarePlatform;
  let routes: readonly Route[];

  before(async () => {
    bare = await barePlatform('api');
    routes = bare.platform.api?.routes ?? [];
  });
  after(() => bare.close());

  it('are the ones listed, and no others', () => {
    const live = routes.filter(({ keyKind }) => keyKind === 'live').map(({ operationId }) => operationId);
    expect(live).to.have.members(Object.values(PRODUCTION_ONLY).flat());
  });
});
