import { expect } from 'chai';
import { commandsFor } from '../../../core/model/commands.js';
import { nextStep } from '../../../core/services/overview/next-step.js';
import type { Overview } from '../../../core/services/overview/overview.js';

const SIP = { host: '127.0.0.1', port: 5070 };
const PHONE = {
  agent: '1001',
  name: 'Sara',
  project: 'Main $(reboot)',
  project_id: 'p1',
  registered: true,
  number: null,
};

type Phone = Overview['phones']['rows'][number];

const overview = (rows: readonly Phone[], projectIds: readonly string[] = ['p1']): Overview => ({
  engines: [],
  phones: { total: rows.length, registered: 0, rows },
  numbers: { total: 0, rows: [] },
  projectIds,
});
const next = (
  rows: readonly Phone[],
  projectIds?: readonly string[],
  bootstrapFile: string | null = null,
  prefix?: string,
) => nextStep(overview(rows, projectIds), { sip: SIP, bootstrapFile }, commandsFor(prefix), 'Hello');

describe('the next step of an operator', () => {
  it('is an agent, if there is none', () => {
    expect(next([])).to.deep.equal({ step: 'add_agent', command: 'npx hatif agents add 1001' });
  });

  it('is a registered phone, with the password of the demo or a new one', () => {
    const rows = [{ ...PHONE, registered: false }];
    expect(next(rows, ['p1'], '/data/bootstrap.json')).to.deep.equal({
      step: 'register',
      agent: '1001',
      server: SIP,
      command: `node -p "require('/data/bootstrap.json').sip.agents"`,
    });
    expect(next(rows)).to.include({ command: 'npx hatif agents password 1001' });
  });

  it('is a number, if none rings a registered phone', () => {
    const rows = [PHONE, { ...PHONE, registered: false, number: '+966115550101' }];
    expect(next(rows)).to.deep.equal({
      step: 'bind_number',
      command: 'npx hatif numbers add +966112345678 --bind agent:1001',
    });
  });

  it('is a call to the registered phone', () => {
    expect(next([PHONE, { ...PHONE, number: '+966115550102' }])).to.deep.equal({
      step: 'call',
      number: '+966115550102',
      command: 'npx hatif call +966115550102 --say "Hello"',
    });
  });

  it('names the project by its id if there are several', () => {
    expect(next([], ['p1', 'p2']).command).to.equal('npx hatif agents add 1001 --project p1');
    expect(next([{ ...PHONE, registered: false }], ['p0', 'p1']).command).to.equal(
      'npx hatif agents password 1001 --project p1',
    );
  });

  it('is typed outside of the container that the platform runs in', () => {
    const prefix = 'docker compose exec application';
    expect(next([], ['p1'], null, prefix).command).to.equal(`${prefix} hatif agents add 1001`);
    expect(next([{ ...PHONE, registered: false }], ['p1'], '/data/bootstrap.json', prefix).command).to.equal(
      `${prefix} node -p "require('/data/bootstrap.json').sip.agents"`,
    );
  });
});
