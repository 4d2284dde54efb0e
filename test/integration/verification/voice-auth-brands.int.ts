import { expect } from 'chai';
import { AuthCalls, WORDS } from '../../support/calls/auth-calls.js';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('authentication by telephone', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  let auth: AuthCalls;
  verifyEach((made) => {
    stage = made;
    auth = new AuthCalls(made);
  });

  describe('brands', () => {
    const names = { name_en: 'Riyadh Coffee', name_ar: 'قهوة الرياض' };

    it('are drafts, await the operator’s approval, and are then spoken', async () => {
      const made = await stage.good('POST', '/voice-auth/brands', {
        name_en: '  Riyadh   Coffee ',
        name_ar: names.name_ar,
      });
      expect(made).to.deep.include({ ...names, status: 'draft', rejection_reason: null, submitted_at: null });
      const id = String(made.id);
      const use = { to: NUMBER, brand_id: id };
      expect(await stage.refused('POST', '/voice-auth/challenges', use)).to.equal('403 VOICE_AUTH_BRAND_NOT_APPROVED');
      const submitted = await stage.good('POST', `/voice-auth/brands/${id}/submit`);
      expect(submitted).to.include({ status: 'pending' });
      expect(await stage.refused('POST', '/verify', use)).to.equal('403 VOICE_AUTH_BRAND_NOT_APPROVED');
      expect(await stage.refused('POST', `/voice-auth/brands/${id}/submit`)).to.equal(
        '409 VOICE_AUTH_BRAND_INVALID_STATE',
      );
      expect((await stage.brands.waiting()).map((row) => row.id)).to.include(id);
      await stage.brands.approve(id);
      expect(await stage.good('GET', `/voice-auth/brands/${id}`)).to.include({ status: 'approved' });

      await auth.started({ brand_id: id });
      await auth.said(WORDS.greeting('Riyadh Coffee'));
      await stage.good('POST', '/verify', { ...use, channel: 'sms', language: 'ar' });
      expect(stage.sent.at(-1)?.brand).to.equal(names.name_ar);
    });

    it('are rejected with a reason, and can be submitted again', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      await stage.good('POST', `/voice-auth/brands/${String(id)}/submit`);
      await stage.brands.reject(String(id), 'Not yours');
      expect(await stage.good('GET', `/voice-auth/brands/${String(id)}`)).to.include({
        status: 'rejected',
        rejection_reason: 'Not yours',
      });
      const again = await stage.good('POST', '/voice-auth/brands', names);
      const list = await stage.good('GET', '/voice-auth/brands?limit=1');
      expect((list.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([again.id]);
      const next = await stage.good('GET', `/voice-auth/brands?limit=1&cursor=${String(list.next_cursor)}`);
      expect((next.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([id]);
      expect(next.next_cursor).to.equal(null);
      const rejected = await stage.good('GET', '/voice-auth/brands?status=rejected');
      expect((rejected.data as { id: string }[]).map((brand) => brand.id)).to.deep.equal([id]);
    });

    it('can be submitted again after a rejection, unless the name was taken meanwhile', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      const path = `/voice-auth/brands/${String(id)}`;
      await stage.good('POST', `${path}/submit`);
      await stage.brands.reject(String(id), 'Not yours');
      const { id: rival } = await stage.good('POST', '/voice-auth/brands', names);
      expect(await stage.refused('POST', `${path}/submit`)).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      await stage.good('DELETE', `/voice-auth/brands/${String(rival)}`);
      const again = await stage.good('POST', `${path}/submit`);
      expect(again).to.include({ status: 'pending', rejection_reason: null, decided_at: null });
      await stage.brands.approve(String(id));
      expect(await stage.refused('POST', `${path}/submit`)).to.equal('409 VOICE_AUTH_BRAND_INVALID_STATE');
    });

    it('are drafts again when their names change, except while the operator reviews them', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      const path = `/voice-auth/brands/${String(id)}`;
      expect(await stage.good('PATCH', path, { name_en: ' Jeddah  Coffee ' })).to.include({
        ...names,
        name_en: 'Jeddah Coffee',
        status: 'draft',
      });
      await stage.good('POST', `${path}/submit`);
      expect(await stage.refused('PATCH', path, { name_en: 'Abha Coffee' })).to.equal(
        '409 VOICE_AUTH_BRAND_INVALID_STATE',
      );
      await stage.brands.approve(String(id));
      const approved = await stage.good('GET', path);
      expect(await stage.good('PATCH', path, { name_en: 'Jeddah Coffee' })).to.deep.equal(approved);
      const changed = await stage.good('PATCH', path, { name_ar: 'قهوة جدة' });
      expect(changed).to.include({ status: 'draft', name_ar: 'قهوة جدة', submitted_at: null, decided_at: null });
      const use = { to: NUMBER, brand_id: id };
      expect(await stage.refused('POST', '/voice-auth/challenges', use)).to.equal('403 VOICE_AUTH_BRAND_NOT_APPROVED');
      await stage.good('POST', '/voice-auth/brands', names);
      expect(await stage.refused('PATCH', path, names)).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      expect(await stage.refused('PATCH', path, { name_en: '!' })).to.equal('400 VALIDATION_ERROR name_en');
    });

    it('are deleted in any status, and are then found nowhere', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      const path = `/voice-auth/brands/${String(id)}`;
      await stage.good('POST', `${path}/submit`);
      await stage.good('DELETE', path);
      for (const [method, at] of [
        ['GET', path],
        ['PATCH', path],
        ['DELETE', path],
        ['POST', `${path}/submit`],
      ] as const) {
        expect(await stage.refused(method, at, method === 'PATCH' ? {} : undefined)).to.equal(
          '404 VOICE_AUTH_BRAND_NOT_FOUND',
        );
      }
      expect((await stage.good('GET', '/voice-auth/brands')).data).to.deep.equal([]);
      expect((await stage.brands.waiting()).map((row) => row.id)).not.to.include(id);
      const use = { to: NUMBER, brand_id: id };
      expect(await stage.refused('POST', '/verify', use)).to.equal('400 VALIDATION_ERROR brand_id');
      await stage.good('POST', '/voice-auth/brands', names);
    });

    it('belong to a project, and have a unique name in it', async () => {
      await stage.good('POST', '/voice-auth/brands', names);
      const taken = (json: object) => stage.refused('POST', '/voice-auth/brands', { ...names, ...json });
      expect(await taken({ name_en: 'RIYADH coffee', name_ar: 'أخرى' })).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      expect(await taken({ name_en: 'Another' })).to.equal('409 VOICE_AUTH_BRAND_DUPLICATE');
      const { key } = await stage.api.key();
      await stage.good('POST', '/voice-auth/brands', names, key);
      const other = await stage.otherProjectKey();
      expect((await stage.good('GET', '/voice-auth/brands', undefined, other)).data).to.deep.equal([]);
      await stage.good('POST', '/voice-auth/brands', names, other);
    });

    it('are short and can be pronounced', async () => {
      for (const bad of ['', 'A', 'Nineteen characters', '<b>Bank</b>', 'Bank!', 'بنك', '-Bank']) {
        const answer = await stage.refused('POST', '/voice-auth/brands', { ...names, name_en: bad });
        expect(answer, bad).to.equal('400 VALIDATION_ERROR name_en');
      }
      for (const bad of ['Bank', 'بنك'.repeat(7), 'بنك\u202e']) {
        const answer = await stage.refused('POST', '/voice-auth/brands', { ...names, name_ar: bad });
        expect(answer, bad).to.equal('400 VALIDATION_ERROR name_ar');
      }
    });

    it('of other organizations are not found, and sandbox brands are never spoken on live calls', async () => {
      const { id } = await stage.good('POST', '/voice-auth/brands', names);
      const { key: stranger } = await stage.api.key();
      for (const key of [stranger, stage.sandboxKey]) {
        const notFound = '404 VOICE_AUTH_BRAND_NOT_FOUND';
        expect(await stage.refused('GET', `/voice-auth/brands/${String(id)}`, undefined, key)).to.equal(notFound);
        expect(await stage.refused('POST', `/voice-auth/brands/${String(id)}/submit`, undefined, key)).to.equal(
          notFound,
        );
        expect((await stage.good('GET', '/voice-auth/brands', undefined, key)).data).to.deep.equal([]);
      }
      const sandboxed = await stage.good('POST', '/voice-auth/brands', names, stage.sandboxKey);
      const path = `/voice-auth/brands/${String(sandboxed.id)}/submit`;
      expect(await stage.good('POST', path, undefined, stage.sandboxKey)).to.include({ status: 'approved' });
      const use = { to: NUMBER, brand_id: sandboxed.id };
      expect(await stage.refused('POST', '/voice-auth/challenges', use)).to.equal('400 VALIDATION_ERROR brand_id');
      await stage.good('POST', '/voice-auth/challenges', { ...use, to: '+966500000001' }, stage.sandboxKey);
    });
  });
});
