"""Files that hold secrets are known by their names, copies of them included; files that people share are not."""

import pytest

from mulligan.core.secrets import holds_secrets, is_secret

SECRET = """
.env
.ENV
.env.local
.env.production
.env-prod
.env_staging
.envrc
deploy/prod.env
certs/server.pem
certs/Server.KEY
id_rsa
id_rsa_work
id_dsa.old
id_ecdsa
id_ecdsa_sk
keys/id_ed25519
keys/id_ed25519-laptop
.netrc
_netrc
web/.npmrc
.pypirc
a.p12
a.pfx
AuthKey_1.p8
android/release.keystore
a.jks
vault.kdbx
host.keytab
office.ovpn
credentials
config/credentials.json
config/credentials.ini
.aws/config
.aws/sso/cache/a.json
.azure/msal_token_cache.json
.config/gcloud/access_tokens.db
.gcloud/key.txt
home/.ssh/known_hosts
.ssh/id_rsa.pub
.gnupg/pubring.kbx
secrets.yml
k8s/secrets.yaml
k8s/prod.secrets.yaml
Secrets.json
secrets.toml
.secrets
.git-credentials
.htpasswd
.pgpass
.vault-token
.vault_pass.txt
vault-password
client_secret_123.json
service-account.json
service-account-prod.json
my-service-account.json
shop-firebase-adminsdk-x1.json
terraform.tfstate
terraform.tfstate.backup
infra/prod.tfstate
terraform.tfvars
prod.secret.tfvars
.terraformrc
.docker/config.json
home/.kube/config
prod.kubeconfig
.dockercfg
.my.cnf
.s3cfg
rclone.conf
local.settings.json
.bash_history
.netrc.bak
.env~
.env.bak
.env.old
.env.1
.env.bak.2
.env copy
.env copy 2
..env.swp
#.env#
secrets.yml.orig
secrets.yml.save
credentials (1).json
credentials copy.json
credentials.copy.json
server.pem.20240131
.docker/config.json.bak
""".strip().splitlines()

SHARED = """
.env.example
.env.sample
.env.template
.env.local.example
.env.dist
.env.example.bak
.env.defaults
.env.schema
example.env
sample.env
secrets.example.yml
credentials.sample.json
credentials.json.dist
terraform.tfvars.example
service-account.example.json
.npmrc.template
id_rsa.pub
keys/id_ed25519.pub
id_rsa_parser.py
id_generator.py
ids.txt
env.py
.envoy.yaml
.env/bin/python
.env.d/readme
environment.yml
src/keys.py
src/key.ts
monkey.py
keyboard.keymap
secrets.py
secrets_test.go
docs/secrets.md
credentials.py
src/credentials/views.py
service_account.py
variables.tf
prod.tfvars
.docker/Dockerfile
config.json
.kube/deployment.yaml
kube/config
gcloud/deploy.sh
.aws.md
.azure-pipelines.yml
wp-config.php
token.py
tokens.json
package.json
history.md
notes.bak
Makefile.old
README.md
README copy.md
vault_passthrough.yml
.
""".strip().splitlines()


@pytest.mark.parametrize("path", SECRET)
def test_a_file_that_holds_secrets_is_known_by_its_name(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", SHARED)
def test_an_ordinary_file_is_not_taken_for_a_secret(path: str) -> None:
    assert not is_secret(path)


@pytest.mark.parametrize(
    ("folder", "secret"),
    [
        (".aws", True),
        ("home/.SSH/keys", True),
        ("~/.config/gcloud", True),
        (".", False),
        ("credentials", False),
        ("gcloud", False),
        (".awsome", False),
    ],
)
def test_only_some_folders_are_secret_as_a_whole(folder: str, secret: bool) -> None:
    assert holds_secrets(folder) is secret
