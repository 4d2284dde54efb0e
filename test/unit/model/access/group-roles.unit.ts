import { expect } from 'chai';
import { grantOf, grantOfMember, NO_RULES, type RoleRules } from '../../../../core/model/access/group-roles.js';

const all = { project_ids: null } as const;
const VIEWER = { role: 'viewer', ...all } as const;
const OWNER = { role: 'owner', ...all } as const;
const rules: RoleRules = {
  group_roles: [
    { group: 'chiefs', role: 'owner', ...all },
    { group: 'money', role: 'finance', ...all },
    { group: 'engineers', role: 'developer', project_ids: ['p'] },
  ],
  default_role: 'viewer',
  default_project_ids: null,
  admits_owners: true,
};

describe('Roles of groups', () => {
  it('are those of the first entry that fits', () => {
    expect(grantOf(['engineers', 'money'], rules)).to.deep.equal({ role: 'finance', ...all });
    expect(grantOf(['engineers'], rules)).to.deep.equal({ role: 'developer', project_ids: ['p'] });
    expect(grantOf(['Engineers'], rules), 'in the same case only').to.deep.equal(VIEWER);
  });

  it('are the default for others, or none', () => {
    expect(grantOf([], { ...rules, default_project_ids: ['p'] })).to.deep.equal({ role: 'viewer', project_ids: ['p'] });
    expect(grantOf(['others'], { ...rules, default_role: null })).to.equal(null);
    expect(grantOf(['others'], NO_RULES)).to.equal(null);
  });

  it('change those of members, unless there is no entry', () => {
    const admin = { role: 'admin', ...all } as const;
    expect(grantOfMember(admin, ['money'], rules)).to.deep.equal({ role: 'finance', ...all });
    expect(grantOfMember(admin, [], rules)).to.deep.equal(VIEWER);
    expect(grantOfMember(admin, [], { ...rules, default_role: null })).to.equal(null);
    expect(grantOfMember(admin, [], { ...rules, group_roles: [] })).to.equal(admin);
  });

  it('take the role of owners only where an entry gives it', () => {
    expect(grantOfMember(OWNER, ['money'], rules)).to.deep.equal({ role: 'finance', ...all });
    const others = { ...rules, group_roles: rules.group_roles.slice(1) };
    expect(grantOfMember(OWNER, ['money'], others)).to.equal(OWNER);
  });

  it('never make owners if the provider may not name them', () => {
    const careful = { ...rules, admits_owners: false };
    expect(grantOf(['chiefs'], careful)).to.deep.equal(VIEWER);
    expect(grantOfMember(OWNER, [], careful)).to.equal(OWNER);
    expect(grantOfMember(VIEWER, ['chiefs', 'money'], careful)).to.deep.equal({ role: 'finance', ...all });
  });
});
