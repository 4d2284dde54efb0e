import { expect } from 'chai';
import type { StoredVoicemail } from '../../../core/data/repositories/voicemail/voicemails.js';
import { introductionText } from '../../../ivr/programs/voicemail-access-texts.js';

const NOW = new Date('2026-11-22T18:00:00Z');

function introduced(from_number: string, at: string): { readonly ar: string; readonly en: string } {
  return introductionText({ from_number, created_at: new Date(at) } as StoredVoicemail, NOW);
}

describe('The introduction of a voicemail message', () => {
  it('says the number in its local form and the day as today', () => {
    const { ar, en } = introduced('+966501234567', '2026-11-22T12:30:00Z');
    expect(ar).to.equal(
      'رسالة من الرقم صفر، خمسة، صفر. واحد، اثنان، ثلاثة. أربعة، خمسة، ستة، سبعة. اليوم، الساعة الثالثة والنصف عصرًا.',
    );
    expect(en).to.match(/^Message from zero, five, zero\. one, two, three\. .* Today, three thirty p\.m\./);
  });

  it('determines yesterday in Riyadh time', () => {
    // 23:30 in Riyadh.
    expect(introduced('anonymous', '2026-11-21T20:30:00Z').ar).to.equal('رسالة. أمس، الساعة الحادية عشرة والنصف مساءً.');
  });

  it('says the year only if it is not the current one', () => {
    expect(introduced('anonymous', '2026-11-01T06:00:00Z').ar).to.equal(
      'رسالة. الأحد، الأول من نوفمبر، الساعة التاسعة صباحًا.',
    );
    expect(introduced('anonymous', '2025-11-02T06:00:00Z').ar).to.equal(
      'رسالة. الأحد، الثاني من نوفمبر، عام ألفين وخمسة وعشرين، الساعة التاسعة صباحًا.',
    );
  });
});
