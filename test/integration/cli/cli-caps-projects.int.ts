import { expect } from 'chai';
import { Organizations } from '../../../core/data/repositories/accounts/organizations.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { commandForAll, SECRET } from '../../support/command.js';
import type { TestDatabase } from '../../support/platform/database.js';

describe('hatif projects create and caps', () => {
  let database: TestDatabase;
  const { hatif, json } = commandForAll((_, opened) => (database = opened));
  const projects = () => new Projects(database.db).list();
  const organizations = () => new Organizations(database.db).list();

  describe('projects create', () => {
    it('creates a project with a signing secret and the usual limits in the only organization', async () => {
      const made = (await json('projects', 'create', ' Second ')) as { id: string };
      const row = (await projects()).find(({ id }) => id === made.id);
      expect(row).to.deep.include({
        ...{ name: 'Second', main_number: null, default_destination: null, fraud_limits: null, max_calls: 50 },
        destination_classes: ['national', 'mobile'],
        organization_id: (await organizations())[0]?.id,
      });
      expect(new Cipher(SECRET).open(row!.signing_secret)).to.match(/^whsec_/);
      expect(JSON.stringify(made)).to.not.contain('secret');
      expect((await hatif(['keys', 'create', '--name', 'first', '--project', 'Second'])).code).to.equal(0);
      expect((await hatif(['projects', 'list'])).stdout).to.match(/Second\s+Test\s/);
    });

    it('creates an organization, too, and then needs to know which one', async () => {
      const { stdout } = await hatif(['projects', 'create', 'Other', '--new-organization', 'شركة المثال']);
      expect(stdout).to.contain('شركة المثال').and.contain('npx hatif keys create --name <name> --project ');
      expect((await organizations()).at(-1)).to.deep.include({ name: 'شركة المثال', account_kind: 'production' });
      const which = await hatif(['projects', 'create', 'Third']);
      expect(which.code).to.equal(2);
      expect(which.stderr).to.match(/Which organization\?[^]*Test \(.*شركة المثال \(/);
      expect(await json('projects', 'create', 'Third', '--organization', 'شركة المثال')).to.include({ name: 'Third' });
    });

    for (const [what, args, code, words] of [
      ['a name that the organization has', ['Second', '--organization', 'Test'], 1, /has a project Second already/],
      ['an empty name', ['  ', '--organization', 'Test'], 1, /1 to 64 characters/],
      ['an empty name of the organization', ['New', '--new-organization', ''], 1, /organization: must have 1 to 64/],
      ['an unknown organization', ['New', '--organization', 'Nobody'], 1, /no organization Nobody[^]*Test \(/],
      ['two organizations', ['New', '--organization', 'Test', '--new-organization', 'X'], 2, /cannot be used with/],
    ] as const) {
      it(`refuses ${what}, and creates nothing`, async () => {
        const before = [await projects(), await organizations()];
        const ran = await hatif(['projects', 'create', ...args]);
        expect(ran.code).to.equal(code);
        expect(ran.stderr).to.match(words);
        expect([await projects(), await organizations()]).to.deep.equal(before);
      });
    }
  });

  describe('caps', () => {
    it('lists the caps of all projects, and sets those of one', async () => {
      const listed = await hatif(['caps', 'list']);
      expect(listed.stdout)
        .to.match(/Test\s+none\s+0\.00\s+none\s+0\.00/)
        .and.to.match(/Second\s+none/);
      expect(await json('caps', 'set', '--day', '250.5', '--month', '4000', '--project', 'Second')).to.deep.include({
        ...{ project: 'Second', day_sar: '250.50', month_sar: '4000.00', spent_today_sar: '0.00' },
      });
      expect(await json('caps', 'set', '--day', 'none', '--project', 'Second')).to.deep.include({
        ...{ day_sar: null, month_sar: '4000.00' },
      });
      expect(await json('caps', 'list', '--project', 'Test')).to.have.lengthOf(1);
      const [test] = (await json('caps', 'list', '--project', 'Test')) as object[];
      expect(test).to.include({ day_sar: null, month_sar: null });
    });

    for (const amount of ['-1', '1.234', 'much', '10000000000']) {
      it(`refuses the cap ${amount}, and changes nothing`, async () => {
        const before = await json('caps', 'list');
        const { code, stderr } = await hatif(['caps', 'set', '--month', amount, '--project', 'Test']);
        expect(code).to.equal(2);
        expect(stderr).to.contain('--month: must be an amount in riyals');
        expect(await json('caps', 'list')).to.deep.equal(before);
      });
    }

    it('needs a cap, and a project if there are several', async () => {
      expect((await hatif(['caps', 'set', '--project', 'Test'])).code).to.equal(2);
      const which = await hatif(['caps', 'set', '--day', '5']);
      expect(which.stderr).to.contain('Which project?');
      expect(which.code).to.equal(2);
    });
  });
});
