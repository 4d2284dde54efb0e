import { expect } from 'chai';
import type { ContactRow } from '../../../../core/data/rows.js';
import type { ContactLine } from '../../../../core/model/contacts/import-line.js';
import {
  LineApplication,
  type AppliedLines,
  type OptedOut,
} from '../../../../core/services/contacts/import/apply-lines.js';

const OWNER = { organizationId: 'o', projectId: 'p', sandbox: false };
const LATER = new Date('2026-11-27T00:00:00Z');
const REEM: ContactRow = {
  ...{ id: 'reem', organization_id: 'o', project_id: 'p', sandbox: false, phone: '+966501234567', email: null },
  ...{ name_en: 'Reem', name_ar: null, language: 'ar', time_zone: null, tags: ['a'], custom_fields: { b: 1, a: 2 } },
  ...{ marketing_opted_out: false, created_at: new Date(0), updated_at: new Date(0) },
};
const OMAR: ContactRow = { ...REEM, id: 'omar', phone: null, email: 'omar@example.com', name_en: 'Omar' };

const apply = (
  lines: Partial<ContactLine>[],
  existing: 'update' | 'skip' = 'update',
  optedOut: OptedOut = new Map(),
): AppliedLines =>
  new LineApplication([REEM, OMAR], optedOut, OWNER, existing, LATER).apply(
    lines.map((line) => ({ custom_fields: {}, ...line })),
  );
const outcomes = ({ outcomes: all }: AppliedLines): string[] =>
  all.map((outcome) => (typeof outcome === 'string' ? outcome : `${outcome.column ?? 'line'} ${outcome.code}`));

describe('lines applied to contacts', () => {
  it('make contacts, and change those that exist by their number, or else by their address', () => {
    const applied = apply([
      { phone: '+966500000001', name_ar: 'سعود' },
      { phone: REEM.phone ?? '', email: 'reem@example.com', tags: ['b'] },
      { email: 'omar@example.com', phone: '+966500000002' },
    ]);
    expect(outcomes(applied)).to.deep.equal(['created', 'updated', 'updated']);
    expect(applied.inserted).to.have.length(1);
    expect(applied.inserted[0]).to.deep.include({ name_ar: 'سعود', language: 'ar', tags: [], created_at: LATER });
    expect(applied.updated).to.deep.equal([
      { ...REEM, email: 'reem@example.com', tags: ['a', 'b'], updated_at: LATER },
      { ...OMAR, phone: '+966500000002', updated_at: LATER },
    ]);
    expect(applied.contactIds).to.have.length(3).and.include.members(['reem', 'omar']);
  });

  it('see what the lines before them did', () => {
    const applied = apply([
      { phone: '+966500000001', email: 'x@example.com' },
      { email: 'x@example.com', custom_fields: { n: 1 } },
      { phone: '+966500000001', custom_fields: { n: 1 } },
      { phone: REEM.phone ?? '', email: 'x@example.com' },
      { phone: '+966500000001', email: 'y@example.com' },
      { phone: REEM.phone ?? '', email: 'x@example.com' },
    ]);
    expect(outcomes(applied)).to.deep.equal([
      ...['created', 'updated', 'unchanged', 'email CONTACT_DUPLICATE', 'updated', 'updated'],
    ]);
    expect(applied.inserted.map(({ email, custom_fields }) => ({ email, custom_fields }))).to.deep.equal([
      { email: 'y@example.com', custom_fields: { n: 1 } },
    ]);
    expect(applied.updated.map(({ id, email }) => `${id} ${String(email)}`)).to.deep.equal(['reem x@example.com']);
  });

  it('change nothing that says nothing new, or that exists with `skip`', () => {
    const same = apply([{ phone: REEM.phone ?? '', name_en: 'Reem', tags: ['a'], custom_fields: { a: 2 } }]);
    expect(outcomes(same)).to.deep.equal(['unchanged']);
    const skipped = apply([{ phone: REEM.phone ?? '', name_en: 'X' }, { email: 'new@example.com' }], 'skip');
    expect(outcomes(skipped)).to.deep.equal(['skipped', 'created']);
    for (const { updated } of [same, skipped]) expect(updated).to.deep.equal([]);
    expect(skipped.contactIds).to.include('reem');
  });

  it('never take the number or the address of another contact', () => {
    const applied = apply([
      { phone: REEM.phone ?? '', email: 'omar@example.com' },
      { email: 'omar@example.com', phone: '+966500000009' },
      { email: 'omar@example.com', phone: '+966500000008' },
    ]);
    expect(outcomes(applied)).to.deep.equal(['email CONTACT_DUPLICATE', 'updated', 'phone CONTACT_DUPLICATE']);
  });

  it('say of marketing messages what is news, and never undo an opt-out of the person', () => {
    const own = '+966500000003';
    const applied = apply(
      [
        { phone: REEM.phone ?? '', marketing_opted_out: false },
        { phone: REEM.phone ?? '', marketing_opted_out: true },
        { phone: REEM.phone ?? '', marketing_opted_out: true },
        { email: OMAR.email ?? '', marketing_opted_out: false },
        { phone: own, marketing_opted_out: false },
        { phone: own, marketing_opted_out: true },
      ],
      'update',
      new Map([
        [OMAR.email ?? '', false],
        [own, true],
      ]),
    );
    expect(outcomes(applied)).to.deep.equal([
      ...['unchanged', 'updated', 'unchanged', 'updated'],
      ...['marketing_opted_out CONSENT_LOCKED_BY_END_USER', 'created'],
    ]);
    expect(applied.wishes.map(({ row, isOptedOut }) => `${row.id} ${String(isOptedOut)}`)).to.deep.equal([
      'reem true',
      'omar false',
    ]);
    expect(applied.updated, 'the rows themselves stay').to.deep.equal([]);
  });

  it('keep a contact within its limits', () => {
    const many = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const fields = Object.fromEntries(many.map((name, index) => [name, index]));
    const applied = apply([
      { phone: REEM.phone ?? '', tags: many },
      { phone: REEM.phone ?? '', custom_fields: fields },
    ]);
    expect(outcomes(applied)).to.deep.equal(['tags VALIDATION_ERROR', 'line VALIDATION_ERROR']);
    expect(applied.updated).to.deep.equal([]);
  });
});
