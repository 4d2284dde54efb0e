import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EveryNode, NODE_TYPES } from '../../support/calls/every-node.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';

/** Tests the same calls on each engine. @param start starts the platform; resolves with it and a stop function */
function describeEveryNode(start: () => Promise<readonly [ProcessStage, () => Promise<void>]>): void {
  let line: EveryNode;
  let stop: () => Promise<void>;

  before(async function () {
    this.timeout(180_000);
    const [stage, end] = await start();
    stop = end;
    line = await EveryNode.open(stage);
  });
  after(async () => {
    await line.close();
    await stop();
  });

  it('lead the caller through the nodes, with a spoken code that the caller enters', async function () {
    this.timeout(180_000);
    await line.wholeWay();
  });

  it('record a message', () => line.leavesMessage());
  it('transfer the caller', () => line.isTransferred());
  it('connect two callers in a conference', () => line.joinsConference());

  it('visit a node of every type', () => {
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
