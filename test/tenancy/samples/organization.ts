import { hashSecret } from '../../../core/model/access/secrets.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { addMember } from '../../support/rows/members.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

const PASSWORD = 'a horse counts blue ladders';

const newProject = async (tenant: Tenant) => {
  const { id } = await tenant.askAsOwner('POST', '/v1/projects', { name: tenant.word('project') });
  return { params: { project_id: String(id) } };
};

const keyBody = (tenant: Tenant) => ({
  project_id: tenant.ground.projectId,
  name: tenant.word('key'),
  kind: 'sandbox',
  scopes: ['calls:read'],
});

const newKey = async (tenant: Tenant) => {
  const { id, secret } = await tenant.askAsOwner('POST', '/v1/keys', keyBody(tenant));
  tenant.secret(String(secret));
  return { params: { key_id: String(id) } };
};

const newMember = async (tenant: Tenant) => {
  const { db } = tenant.world;
  const { user } = await addMember(db, tenant.ground.organizationId, { role: 'viewer', name: tenant.word('member') });
  tenant.secret(user.email);
  return { params: { member_id: tenant.secret(user.id) } };
};

const inviteBody = (tenant: Tenant) => ({
  email: tenant.secret(`${tenant.word('invited')}@example.com`),
  role: 'viewer',
});

const newInvite = async (tenant: Tenant) => {
  const { id } = await tenant.askAsOwner('POST', '/v1/invites', inviteBody(tenant));
  return { params: { invite_id: String(id) } };
};

/** The token of a new invitation. It is only in the mail, so the invitation gets another one. */
async function inviteToken(tenant: Tenant): Promise<string> {
  const { params } = await newInvite(tenant);
  const token = generateToken('invite');
  await tenant.world.db.query(`UPDATE invites SET token_hash = $2 WHERE id = $1`, [
    params.invite_id,
    hashSecret(token),
  ]);
  return tenant.secret(token);
}

export const organization: Samples = {
  getOrganization: () => ({}),
  changeOrganization: (tenant) => ({ body: { name: tenant.word('organization') } }),
  getOrganizationFraudLimits: () => ({}),
  setOrganizationFraudLimits: () => ({ body: { project: {}, agents: { calls_per_hour: 5_000 } } }),

  listProjects: () => ({}),
  createProject: (tenant) => ({ body: { name: tenant.word('project') } }),
  getProject: newProject,
  changeProject: async (tenant) => ({ ...(await newProject(tenant)), body: { name: tenant.word('project') } }),
  deleteProject: newProject,

  listKeys: async (tenant) => {
    await newKey(tenant);
    return {};
  },
  createKey: (tenant) => ({ body: keyBody(tenant) }),
  getKey: newKey,
  changeKey: async (tenant) => ({ ...(await newKey(tenant)), body: { name: tenant.word('key') } }),
  rotateKey: newKey,
  revealKey: newKey,
  revokeKey: newKey,

  listMembers: () => ({}),
  getMember: newMember,
  changeMember: async (tenant) => ({ ...(await newMember(tenant)), body: { role: 'finance' } }),
  removeMember: newMember,

  listInvites: async (tenant) => {
    await newInvite(tenant);
    return {};
  },
  createInvite: (tenant) => ({ body: inviteBody(tenant) }),
  resendInvite: newInvite,
  revokeInvite: newInvite,
  lookupInvite: async (tenant) => ({ query: { token: await inviteToken(tenant) } }),
  acceptInvite: async (tenant) => ({
    body: { token: await inviteToken(tenant), name: tenant.word('name'), password: PASSWORD },
  }),
};
