import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFreeswitch, FreeswitchHost } from '../../support/platform/freeswitch.js';
import { freeswitchEngine } from '../rigs/freeswitch-engine.js';
import { realEngine } from '../rigs/sip-rig.js';
import { securityConformance } from '../suites/security-suite.js';

describeFreeswitch('FreeSWITCH encryption', () => {
  securityConformance(
    async ({ tlsPort, identity, authorities, security }) => {
      const folder = await mkdtemp(join(tmpdir(), 'hatif-fs-tls-'));
      await copyFile(identity, join(folder, 'agent.pem'));
      await copyFile(authorities, join(folder, 'cafile.pem'));
      const host = await FreeswitchHost.start({
        tls: { port: tlsPort, folder, minVersion: '1.2' },
        srtp: security,
      });
      return realEngine(host, freeswitchEngine(host, { security }));
    },
    { takesKeysForPlainAudio: false },
  );
});
