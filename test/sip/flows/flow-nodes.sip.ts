import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EveryNode, NODE_TYPES } from '../../support/calls/every-node.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';

/** The same calls on each engine. @param started resolves with the platform and a function that stops it */
function describeEveryNode(started: () => Promise<readonly [ProcessStage, () => Promise<void>]>): void {
  let line: EveryNode;
  let stop: () => Promise<void>;

  before(async function () {
    this.timeout(180_000);
    const [stage, end] = await started();
    stop = end;
    line = await EveryNode.open(stage);
  });
  after(async () => {
    await line.close();
    await stop();
  });

  it('lead the caller from node to node, with a code that is heard and entered', async function () {
    this.timeout(180_000);
    await line.wholeWay();
  });

  it('record a message', () => line.leavesMessage());
  it('transfer the caller', () => line.isTransferred());
  it('join two callers in a conference', () => line.joinsConference());

  it('have visited a node of every type', () => {
    expect([...line.visited].sort()).to.deep.equal([...NODE_TYPES].sort());
  });
}

describe('call flows with every node, on Asterisk', () => {
  describeEveryNode(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-nodes-'));
    const stage = await ProcessStage.start(await embeddedSettings(folder));
    return [stage, () => stage.close()];
  });
});

describeFreeswitch('call flows with every node, on FreeSWITCH', () => {
  describeEveryNode(async () => {
    const stage = await FreeswitchStage.start();
    return [stage.application, () => stage.close()];
  });
});
