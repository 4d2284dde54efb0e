import { expect } from 'chai';

import { commandsFor } from '../../../core/model/commands.js';

describe('commands of an operator', () => {
  it('are those of a clone without a prefix', () => {
    const { hatif, beside, start } = commandsFor(undefined);
    expect([hatif(), hatif('calls list'), beside('cat x'), start(), start('PORT=8081')]).to.deep.equal([
      'npx hatif',
      'npx hatif calls list',
      'cat x',
      'npm start',
      'PORT=8081 npm start',
    ]);
  });

  it('repeat the settings that were typed before, unless they change them', () => {
    const { start } = commandsFor(undefined, ['PORT=8090', 'SIP_PORT=5060']);
    expect(start('SIP_PORT=5062')).to.equal('PORT=8090 SIP_PORT=5062 npm start');
    expect(start()).to.equal('PORT=8090 SIP_PORT=5060 npm start');
  });

  it('run in the container that Docker Compose starts', () => {
    const { hatif, beside, start } = commandsFor('docker compose exec application');
    expect([hatif('status'), beside('cat x'), start('PORT=8081')]).to.deep.equal([
      'docker compose exec application hatif status',
      'docker compose exec application cat x',
      'PORT=8081 docker compose up -d',
    ]);
  });

  it('leave the start of other containers to the reader', () => {
    const { hatif, start } = commandsFor('kubectl exec deploy/hatif --');
    expect([hatif('status'), start(), start('PORT=8081')]).to.deep.equal([
      'kubectl exec deploy/hatif -- hatif status',
      'start its container',
      'start its container with PORT=8081',
    ]);
  });
});
