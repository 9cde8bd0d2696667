// The parts of authentication that verify signatures and certificates, which Node does.
export {};
