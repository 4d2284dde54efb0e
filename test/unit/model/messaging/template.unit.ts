import { expect } from 'chai';
import { CHANNELS, supports } from '../../../../core/model/messaging/channels.js';
import { templateFaults, type TemplateContent } from '../../../../core/model/messaging/template.js';

const content = (changes: Partial<TemplateContent> = {}): TemplateContent => ({
  ...{ body: 'Order {{1}} arrives {{2}}.', header: null, footer: null, buttons: [], otp_button: false },
  ...{ variables: ['4711', 'today'], ...changes },
});

describe('the content of a message template', () => {
  const good: readonly (readonly [string, Partial<TemplateContent>])[] = [
    ['two placeholders with samples', {}],
    ['a placeholder that is used twice', { body: '{{1}} and {{1}}', variables: ['x'] }],
    ['placeholders in any order', { body: '{{2}} before {{1}}' }],
    ['header and body with one numbering', { header: 'Order {{1}}', body: 'It arrives {{2}}.' }],
    ['blanks in a placeholder', { body: '{{ 1 }}', variables: ['x'] }],
    ['no placeholder', { body: 'Hello', variables: [] }],
    ['single braces', { body: '{1}', variables: [] }],
  ];
  for (const [what, changes] of good) {
    it(`may have ${what}`, () => {
      expect(templateFaults('sms', 'UTILITY', content(changes))).to.deep.equal([]);
    });
  }

  const bad: readonly (readonly [string, Partial<TemplateContent>, string])[] = [
    ['a name as a placeholder', { body: '{{name}}', variables: ['x'] }, 'body'],
    ['the position 0', { body: '{{0}}', variables: ['x'] }, 'body'],
    ['a gap', { body: '{{1}} {{3}}' }, 'body'],
    ['too few samples', { variables: ['4711'] }, 'variables'],
    ['too many samples', { variables: ['4711', 'today', 'more'] }, 'variables'],
    ['a placeholder in the footer', { footer: '{{1}}' }, 'footer'],
    ['a name in the header', { header: '{{x}}' }, 'header'],
  ];
  for (const [what, changes, path] of bad) {
    it(`may not have ${what}`, () => {
      const [fault] = templateFaults('chatapp', 'UTILITY', content(changes));
      expect(fault).to.include({ path });
      expect(fault?.message_ar).to.match(/[\u0600-\u06ff]/);
    });
  }

  it('has a button that copies a code only for authentication in the chat application', () => {
    const copies = content({ otp_button: true });
    expect(templateFaults('chatapp', 'AUTHENTICATION', copies)).to.deep.equal([]);
    expect(templateFaults('chatapp', 'UTILITY', copies)).to.have.length(1);
    expect(templateFaults('sms', 'AUTHENTICATION', copies)).to.have.length(1);
  });
});

describe('channels', () => {
  it('support what they are able to do', () => {
    const able = (verb: Parameters<typeof supports>[1]) => CHANNELS.filter((channel) => supports(channel, verb));
    expect(able('send')).to.deep.equal(['chatapp', 'sms', 'webchat', 'email']);
    expect(able('receive')).to.deep.equal(['chatapp', 'sms', 'webchat', 'email']);
    expect(able('templates')).to.deep.equal(['chatapp', 'sms', 'email']);
    expect(able('broadcast')).to.deep.equal(['chatapp', 'sms', 'email']);
    expect(able('files')).to.deep.equal(['chatapp', 'webchat', 'email']);
  });
});
