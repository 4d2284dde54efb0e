import { expect } from 'chai';
import { destinationClassOf } from '../../../core/model/number/destination-class.js';

describe('The class of a destination', () => {
  for (const [number, expected] of [
    ['+966501234567', 'mobile'],
    ['+966590000000', 'mobile'],
    ['+966112345678', 'national'],
    ['+966920012345', 'national'],
    ['+442079460000', 'foreign'],
    ['+12025550123', 'foreign'],
    ['+449098790000', 'premium'],
    ['+19005551234', 'premium'],
    ['+97912345678', 'premium'],
    ['+80812345678', 'premium'],
    ['+870773111632', 'satellite'],
    ['+881612345678', 'satellite'],
    ['+8821612345678', 'satellite'],
    ['+883510012345', 'satellite'],
  ] as const) {
    it(`of ${number} is ${expected}`, () => {
      expect(destinationClassOf(number)).to.equal(expected);
    });
  }

  it('is premium for the prefixes of the operator, whatever the number is', () => {
    const prefixes = ['+252', '+96650', '+88161'];
    for (const number of ['+25261234567', '+966501234567', '+881612345678'])
      expect(destinationClassOf(number, prefixes), number).to.equal('premium');
    expect(destinationClassOf('+25161234567', prefixes)).to.equal('foreign');
  });
});
