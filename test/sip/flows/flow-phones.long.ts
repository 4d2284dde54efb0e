import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flowScenarios } from '../../support/calls/flow-scenarios.js';
import { freeSipPort } from '../../support/phones/index.js';
import { embeddedSettings } from '../../support/platform/platform-process.js';
import { ProcessStage } from '../../support/stages/process-stage.js';

describe('call flows with real phones on Asterisk', () => {
  flowScenarios(async () => {
    const carrierPort = await freeSipPort();
    const application = await ProcessStage.start({
      ...(await embeddedSettings(await mkdtemp(join(tmpdir(), 'hatif-flow-')))),
      SIP_TRUNK_URI: `sip:127.0.0.1:${carrierPort}`,
    });
    return { application, carrierPort, close: () => application.close() };
  });
});
