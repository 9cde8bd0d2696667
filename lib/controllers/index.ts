// Controllers: they see a cluster through a client only, this server's or any other's.
export {};
