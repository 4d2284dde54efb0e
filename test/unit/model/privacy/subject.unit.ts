import { expect } from 'chai';
import { maskSubject } from '../../../../core/model/privacy/subject.js';

describe('the person of a request about personal data', () => {
  it('is masked, except the ID of a member', () => {
    expect(maskSubject({ type: 'phone', value: '+966501234567' })).to.equal('+96650••••67');
    expect(maskSubject({ type: 'email', value: 'reem@example.com' })).to.not.include('reem');
    expect(maskSubject({ type: 'external_id', value: 'customer-81' })).to.equal('cu••••');
    const id = '0197f3a0-5c00-7000-8000-000000000001';
    expect(maskSubject({ type: 'user', value: id })).to.equal(id);
  });

  it('shows nothing of a short identifier', () => {
    expect(maskSubject({ type: 'external_id', value: 'r81' })).to.equal('••••');
  });
});
